import { describe, expect, it } from "vitest";
import { DEFAULT_BASE_URL, parseBaseUrl } from "../../../../provider/platform/http/base-url";

// Specification, section 9.
describe("parseBaseUrl", () => {
  it.each([
    [DEFAULT_BASE_URL, "https://console.neon.tech/api/v2"],
    ["https://example.com/v2/", "https://example.com/v2"],
    ["http://127.0.0.1:4000/api/v2", "http://127.0.0.1:4000/api/v2"],
    ["http://127.8.9.10/v2", "http://127.8.9.10/v2"],
    ["http://localhost:4000/v2/", "http://localhost:4000/v2"],
    ["http://[::1]:4000/v2", "http://[::1]:4000/v2"],
    ["HTTPS://Example.COM/v2", "https://example.com/v2"],
  ])("takes %s", (text, expected) => {
    expect(parseBaseUrl(text).url?.href).toBe(expected);
  });

  it.each([
    ["", /not a URL/],
    ["console.neon.tech/api/v2", /not a URL/],
    ["ftp://example.com/v2", /must begin with https/],
    ["http://example.com/v2", /plain http/],
    ["http://10.0.0.1/v2", /plain http/],
    ["http://127.0.0.1.example.com/v2", /plain http/],
    ["http://localhost.example.com/v2", /plain http/],
    ["https://user:secret@example.com/v2", /user name or password/],
    ["https://token@example.com/v2", /user name or password/],
    ["https://example.com/api/v2/projects", /must end in the API version/],
    ["https://example.com/apiv2", /must end in the API version/],
    ["https://example.com/v2//", /must end in the API version/],
    ["https://example.com/", /must end in the API version/],
    ["https://example.com/v2?x=1", /query/],
    ["https://example.com/v2?", /query/],
    ["https://example.com/v2#x", /fragment/],
  ])("refuses %s", (text, reason) => {
    expect(parseBaseUrl(text).reason).toMatch(reason);
    expect(parseBaseUrl(text).reason).not.toContain("secret");
  });
});
