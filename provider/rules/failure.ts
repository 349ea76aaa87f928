/** Bad input as data: which property (camelCase; a path such as `pgSettings.work_mem` where nested) and why, with what to do next. */
export interface Failure {
  property: string;
  reason: string;
}
