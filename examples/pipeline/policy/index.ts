import { PolicyPack, type ReportViolation, type ResourceValidationArgs } from "@pulumi/policy";
import {
  checkAutosuspend,
  checkProtection,
  checkSize,
  defaults,
  type EndpointProps,
  isEndpoint,
  type Settings,
  stackOf,
} from "./rules";

type Rule = (stack: string, args: ResourceValidationArgs, settings: Settings) => string | undefined;

/** A policy of one rule, for endpoints only. Its settings can be given with `--policy-pack-config`. */
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
      if (!isEndpoint(args.type)) return;
      const reason = rule(stackOf(args.urn), args, { ...defaults, ...args.getConfig<Partial<Settings>>() });
      if (reason) report(reason);
    },
  };
}

new PolicyPack("endpoint-policy", {
  enforcementLevel: "mandatory",
  policies: [
    policy("size-outside-production", "No large sizes outside production.", (stack, { props }, settings) =>
      checkSize(stack, props as EndpointProps, settings),
    ),
    policy("previews-autosuspend", "Endpoints of pull requests suspend soon.", (stack, { props }, settings) =>
      checkAutosuspend(stack, props as EndpointProps, settings),
    ),
    policy("production-protected", "Production endpoints cannot be replaced or deleted.", (stack, args, settings) =>
      checkProtection(stack, args.props as EndpointProps, args.opts.protect, settings),
    ),
  ],
});
