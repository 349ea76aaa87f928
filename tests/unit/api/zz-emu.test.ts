import { test } from "vitest";
import { createEmulator } from "../../../emulator";
import { createApi } from "../../../provider/api/client";

test("emu", async () => {
  for (const retryAfter of ["seconds", "date", "none"] as const)
    for (const perSecond of [40, 40, 40, 40, 40, 40, 10] as const) {
      const emu = await createEmulator({ rateLimit: { perSecond, retryAfter } });
      const t = Date.now();
      let r = 0;
      const api = createApi({
        baseUrl: emu.url,
        apiKey: emu.apiKey,
        onRequest: (e) => {
          if (e.status === 429) r++;
        },
      });
      let left = 200;
      await Promise.all(
        Array.from({ length: 200 }, async () => {
          while (left-- > 0) await api.createEndpoint(emu.projectId, { branch_id: emu.branchId, type: "read_only" });
        }),
      );
      console.log(
        retryAfter,
        perSecond,
        Date.now() - t,
        ((Date.now() - t) / 1000 / ((200 - perSecond) / perSecond)).toFixed(2),
        r,
      );
      await api.close();
      await emu.close();
    }
}, 400000);
