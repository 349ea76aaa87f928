export { type ComputeSize, computeSizes, getComputeSize } from "../provider/endpoint/rules/compute-size";
export { Endpoint } from "./endpoint";
export * from "./functions";
export type * from "./model.gen";
