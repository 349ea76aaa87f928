/** The resources that `--target`, `--exclude` and `--exclude-dependents` let a run touch. */
import { dependenciesOf, dependentsOf } from "./graph";
import { needsOf, type Resource } from "./resource";

/** The options of a run that select, by URN. */
export interface Selected {
  /** `--target`. Not together with the next. */
  targets?: readonly string[] | undefined;
  /** `--exclude`. */
  excludes?: readonly string[] | undefined;
  /** `--exclude-dependents`. */
  excludesDependents?: boolean | undefined;
}

/** Decides whether a run touches a resource. */
export class Selection {
  readonly #excluded: Set<string>;

  constructor(private readonly options: Selected) {
    this.#excluded = new Set(options.excludes);
  }

  get targets(): readonly string[] {
    return this.options.targets ?? [];
  }

  get excludes(): readonly string[] {
    return this.options.excludes ?? [];
  }

  /** Whether a registered resource takes part. */
  has(one: Resource): boolean {
    if (this.targets.length > 0) return this.targets.includes(one.urn);
    return this.excludes.length === 0 || !this.#isExcluded(one);
  }

  /** Takes note of a resource that was left out: its dependents are as well, by `--exclude-dependents`. */
  note(one: Resource): void {
    if (this.excludes.length > 0 && this.#isExcluded(one)) this.#excluded.add(one.urn);
  }

  /** Which resources a refresh reads. */
  read(all: readonly Resource[]): Resource[] {
    if (this.excludes.length === 0) {
      return all.filter(({ urn }) => this.targets.length === 0 || this.targets.includes(urn));
    }
    const excluded = new Set(this.excludes);
    return all.filter((one) => {
      if (excluded.has(one.urn)) return false;
      if (!this.options.excludesDependents || !needsOf(one).some((urn) => excluded.has(urn))) return true;
      excluded.add(one.urn);
      return false;
    });
  }

  /**
   * The URNs that a run spares its deletes, or undefined where none are spared. What is excluded spares all that it
   * depends on; with `--exclude-dependents` also what depends on any of those, by way of the provider everything.
   */
  spared(all: readonly Resource[]): Set<string> | undefined {
    if (this.excludes.length === 0) return undefined;
    const spared = new Set<string>();
    const open = all.filter(({ urn }) => this.excludes.includes(urn));
    for (let next = open.shift(); next !== undefined; next = open.shift()) {
      if (spared.has(next.urn)) continue;
      spared.add(next.urn);
      open.push(...dependenciesOf(all, next));
      if (this.options.excludesDependents) {
        open.push(...dependentsOf(all, next, { ignored: spared, withChildren: true }));
      }
    }
    return spared;
  }

  /** The targets, and all that depends on them: what a run with `--target` would have to delete with them. */
  withDependents(all: readonly Resource[]): Set<string> {
    const met = new Set<string>();
    const open = all.filter(({ urn }) => this.targets.includes(urn));
    for (let next = open.shift(); next !== undefined; next = open.shift()) {
      if (met.has(next.urn)) continue;
      met.add(next.urn);
      open.push(...dependentsOf(all, next, { ignored: met, withChildren: true }));
    }
    return met;
  }

  #isExcluded(one: Resource): boolean {
    if (this.excludes.includes(one.urn)) return true;
    if (!this.options.excludesDependents) return false;
    return [...needsOf(one), one.provider].some((urn) => urn !== undefined && this.#excluded.has(urn));
  }
}
