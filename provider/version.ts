declare const __PGCOMPUTE_VERSION__: string | undefined;

/** The package's version, which the build writes in; `0.0.0-dev` where the sources run unbuilt. */
export const version: string = typeof __PGCOMPUTE_VERSION__ === "string" ? __PGCOMPUTE_VERSION__ : "0.0.0-dev";
