/** Under a base address that is not the API's nothing is found, whatever id and key say: that is told apart here. */
import type { Api } from "./api";
import { HttpError, PgComputeError } from "./errors";

/** Does the work; a 404 of something that is not the platform's API at all has the remedy `wrongAddress`. */
export async function withAddressChecked<T>(
  api: Pick<Api, "isThere">,
  work: () => Promise<T>,
  signal?: AbortSignal,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof HttpError && error.kind === "not_found")) throw error;
    if (await api.isThere({ signal })) throw error;
    throw new PgComputeError(error.kind, error.summary, { cause: error, remedy: { kind: "wrongAddress" } });
  }
}
