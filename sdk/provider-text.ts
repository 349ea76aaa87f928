/** The provider's code in the state, which Pulumi's launcher of dynamic providers evaluates in the program's folder. */
import { createRequire } from "node:module";
import { join } from "node:path";

/** The providers that `pulumi-pgcompute/dynamic` exports. */
export type ProviderName = "provider" | "fleetProvider";

const MODULE = "pulumi-pgcompute/dynamic";

const NOT_FOUND =
  "pulumi-pgcompute is neither among the packages of the program nor beside one that these depend on: " +
  "install it in the program, and let the library that uses it name it as a peer dependency";

/**
 * Finds the package next to the program's dependencies, where package managers without hoisting put it; under
 * Plug'n'Play, Yarn locates it. As text, because bundlers rewrite `require` in functions.
 */
const SEARCH = `
const{createRequire}=require("module"),{realpathSync}=require("fs"),{join}=require("path"),seen=new Set;
const foldersOf=(name,own,file)=>{
  if(!process.versions.pnp)return own.resolve.paths(name).map(place=>join(place,name));
  try{return[own("pnpapi").resolveToUnqualified(name,file)]}catch{return[]}
};
const find=folder=>{try{
  const file=realpathSync(join(folder,"package.json"));
  if(seen.has(file))return;
  seen.add(file);
  const own=createRequire(file);
  try{return own.resolve("${MODULE}")}catch{}
  const{dependencies,devDependencies,optionalDependencies}=own(file);
  for(const name of Object.keys({...dependencies,...devDependencies,...optionalDependencies}))
    for(const place of foldersOf(name,own,file)){const found=find(place);if(found)return found}
}catch{}};
const found=find(process.cwd());
if(!found)throw Object.assign(new Error("${NOT_FOUND}"),{stack:""});
`;

/**
 * The code for a provider: short, without secrets, the same after every release; longer if the package must be
 * searched. Of a package that is gone it says so, without Node's stack.
 */
export function providerText(provider: ProviderName): string {
  if (isInReach()) {
    const gone = 'if(e.code)e.stack="",e.message="to go on, install pulumi-pgcompute in the program again";throw e';
    return `exports.handler=()=>{try{return require("${MODULE}").${provider}}catch(e){${gone}}}`;
  }
  return `exports.handler=()=>{${SEARCH.replace(/\n */g, "")}return require(found).${provider}}`;
}

function isInReach(): boolean {
  try {
    createRequire(join(process.cwd(), "program.js")).resolve(MODULE);
    return true;
  } catch {
    return false;
  }
}
