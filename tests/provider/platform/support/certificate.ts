/** A key for tests alone: it proves nothing to anybody. */
export const key = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgcZtt9jAYbPNiYXng
3hhqZ8viIonvjqamgsXBW86QEMKhRANCAAQ63Kn3j+BK42GXRPe2A9syogYVeDPi
NidXO9MMuvsFJfNRAjuVgolaYY2bSMGmEbuozUsgFHenYv//u8W2Sqqk
-----END PRIVATE KEY-----`;

/** The certificate that goes with it, for localhost, signed by nobody but itself, valid until 2125. */
export const certificate = `-----BEGIN CERTIFICATE-----
MIIBnDCCAUGgAwIBAgIUK4iYm71eb52paGOsbYlfYGvVOxMwCgYIKoZIzj0EAwIw
FDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTEyMTA0MDM0NloYDzIxMjYxMDI4
MDQwMzQ2WjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjO
PQMBBwNCAAQ63Kn3j+BK42GXRPe2A9syogYVeDPiNidXO9MMuvsFJfNRAjuVgola
YY2bSMGmEbuozUsgFHenYv//u8W2Sqqko28wbTAdBgNVHQ4EFgQUDq/wnAXL5MHg
yd2iMzipRgcG4zUwHwYDVR0jBBgwFoAUDq/wnAXL5MHgyd2iMzipRgcG4zUwDwYD
VR0TAQH/BAUwAwEB/zAaBgNVHREEEzARgglsb2NhbGhvc3SHBH8AAAEwCgYIKoZI
zj0EAwIDSQAwRgIhAPDyXEmx/aFSZhyCQslnwYoHLcVwX7lpcylmWRlqAdLnAiEA
wykEj7kusAJq4ploHcWRReZWMf3DS5u5xVqQVvlLh4E=
-----END CERTIFICATE-----`;
