export type { ComputeSize } from "../provider/endpoint/rules/compute-size";
export { Endpoint } from "./endpoint";
export { EndpointFleet } from "./endpoint-fleet";
export * from "./functions";
export type * from "./model.gen";
