import { PolicyPack, type ReportViolation, type ResourceValidationArgs } from "@pulumi/policy";
import {
  checkAutosuspend,
  checkProtection,
  checkSize,
  defaults,
  endpointsOf,
  type Settings,
  type Subject,
  stackOf,
  withAutosuspend,
} from "./rules";

type Rule = (stack: string, endpoint: Subject, settings: Settings) => string | undefined;

/** A policy of one rule, for endpoints only, those of a fleet among them. Its settings can be given with `--policy-pack-config`. */
function policy(name: string, description: string, rule: Rule) {
  return {
    name,
    description,
    configSchema: {
      properties: {
        productionStacks: {
          type: "array" as const,
          items: { type: "string" as const },
          default: defaults.productionStacks,
        },
        previewPrefix: { type: "string" as const, default: defaults.previewPrefix },
        maxSizeCu: { type: "number" as const, default: defaults.maxSizeCu },
        maxSuspendSeconds: { type: "integer" as const, default: defaults.maxSuspendSeconds },
      },
    },
    validateResource: (args: ResourceValidationArgs, report: ReportViolation) => {
      const settings = { ...defaults, ...args.getConfig<Partial<Settings>>() };
      for (const endpoint of endpointsOf(args.type, args.props, args.opts.protect)) {
        const reason = rule(stackOf(args.urn), endpoint, settings);
        if (reason) report(endpoint.key === undefined ? reason : `${endpoint.key}: ${reason}`);
      }
    },
  };
}

new PolicyPack("endpoint-policy", {
  enforcementLevel: "mandatory",
  policies: [
    policy("size-outside-production", "No large sizes outside production.", (stack, { props }, settings) =>
      checkSize(stack, props, settings),
    ),
    {
      ...policy("previews-autosuspend", "Endpoints of pull requests suspend soon.", (stack, { props }, settings) =>
        checkAutosuspend(stack, props, settings),
      ),
      // The delay of a preview is corrected without asking, and the plan says so.
      enforcementLevel: "remediate" as const,
      remediateResource: ({ urn, type, props, getConfig }: ResourceValidationArgs) =>
        withAutosuspend(stackOf(urn), type, props, { ...defaults, ...getConfig<Partial<Settings>>() }),
    },
    policy("production-protected", "Production endpoints cannot be replaced or deleted.", (stack, endpoint, settings) =>
      checkProtection(stack, endpoint.props, endpoint.isProtected, settings),
    ),
  ],
});
