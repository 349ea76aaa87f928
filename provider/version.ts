declare const __PGCOMPUTE_VERSION__: string | undefined;

/** The package's version, set by the build; `0.0.0-dev` for unbuilt sources. */
export const version: string = typeof __PGCOMPUTE_VERSION__ === "string" ? __PGCOMPUTE_VERSION__ : "0.0.0-dev";
