/** A file's text, by the loader that the tests have of their own and tools/build/raw.mjs gives to the bundles. */
declare module "*?raw" {
  const text: string;
  export default text;
}
