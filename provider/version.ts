declare const __PGCOMPUTE_VERSION__: string | undefined;
declare const __PGCOMPUTE_RELEASED__: boolean | undefined;

/** The package's version, set by the build; `0.0.0-dev` for unbuilt sources. */
export const version: string = typeof __PGCOMPUTE_VERSION__ === "string" ? __PGCOMPUTE_VERSION__ : "0.0.0-dev";

/** True once a release exists, so that registries and release tags can be named; set by the build. */
export const released: boolean = typeof __PGCOMPUTE_RELEASED__ === "boolean" && __PGCOMPUTE_RELEASED__;
