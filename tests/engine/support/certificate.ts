/** The key and the certificate of servers on this machine. */

/** A key for tests alone: it proves nothing to anybody. */
export const key = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgwcjbSa53QZNzO+vV
AIfHbVKMGmez9UkGFjCsDcX4UNqhRANCAAROVLbawP3JpXdjH0BTtEs8EODSmOYK
VwF1bMuTlcqz3V55e1cuUcBCMqKzeY8tGHWFYcrTqGu43wilNeJKr5Wh
-----END PRIVATE KEY-----`;

/** The key's self-signed certificate, for localhost, 0.0.0.0 and *.platform.test, valid until 2126. */
export const cert = `-----BEGIN CERTIFICATE-----
MIIBvDCCAWKgAwIBAgIUAnM+qPgSH8JEgE4SFQ7XB3msWLIwCgYIKoZIzj0EAwIw
GDEWMBQGA1UEAwwNcGxhdGZvcm0udGVzdDAgFw0yNjExMjMwNTMxNDlaGA8yMTI2
MTAzMDA1MzE0OVowGDEWMBQGA1UEAwwNcGxhdGZvcm0udGVzdDBZMBMGByqGSM49
AgEGCCqGSM49AwEHA0IABE5UttrA/cmld2MfQFO0SzwQ4NKY5gpXAXVsy5OVyrPd
Xnl7Vy5RwEIyorN5jy0YdYVhytOoa7jfCKU14kqvlaGjgYcwgYQwHQYDVR0OBBYE
FFMbRc9Pzkz6irLpqf7KM01iayWSMB8GA1UdIwQYMBaAFFMbRc9Pzkz6irLpqf7K
M01iayWSMA8GA1UdEwEB/wQFMAMBAf8wMQYDVR0RBCowKIIPKi5wbGF0Zm9ybS50
ZXN0gglsb2NhbGhvc3SHBH8AAAGHBAAAAAAwCgYIKoZIzj0EAwIDSAAwRQIgatxY
Ri39RTc5G2matrkpgZUZREn/Z1+eLclQ6U1nMbICIQDJxcd/AmCCNFVCny/kh+KK
G+PZKj4qlAZH138iLyaBjQ==
-----END CERTIFICATE-----`;
