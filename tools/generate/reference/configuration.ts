import { type ConfigKey, configEnvironment, configModel } from "../../../provider/config/model";
import { DEFAULT_BASE_URL } from "../../../provider/platform/http/base-url";
import { jsonSchemaOf } from "../json-schema";
import { code, page, propertyRows, table } from "./markdown";

/** docs/reference/configuration.md: every key of the configuration and its environment variable, from the model. */
export function configurationPage(): string {
  const rows = propertyRows(jsonSchemaOf(configModel, "output"), (name) => {
    const variable = configEnvironment[name as ConfigKey];
    return [variable === undefined ? "" : code(variable)];
  });
  return page(
    "Configuration",
    [
      "Keys live in the namespace `pgcompute`: `pulumi config set --secret pgcompute:apiKey`. An explicit provider of the plugin",
      "takes them as inputs. An environment variable counts only where the configuration is silent.",
    ].join("\n"),
    table(["key", "type", "environment", "what it sets"], rows),
    [
      `Without an address the provider calls \`${DEFAULT_BASE_URL}\`. The address ends in the API's version`,
      "`v2`, uses https unless the host is this machine, and holds no user, password, query or fragment.",
      "A key from the environment goes to the environment's address, to the public platform or to this machine, and to no other",
      "address of the configuration, which is refused then: set `PGCOMPUTE_BASE_URL` to it beside the key, for refresh and destroy",
      "too. A provider with a key of its own keeps its own address. Addresses are compared as parsed URLs.",
      "Redirects are not followed. `HTTPS_PROXY` and `NO_PROXY` are honoured.",
    ].join("\n"),
    [
      "The key is sent in the Authorization header and nowhere else. Set with `--secret` it lies encrypted in the stack's",
      "configuration and state, and `pulumi refresh` and `pulumi destroy` use the one of the last `pulumi up` unless they are given",
      "`--run-program`. Given as `PGCOMPUTE_API_KEY` it is in neither, and always the present one.",
    ].join("\n"),
  );
}
