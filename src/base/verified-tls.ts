/**
 * The `tls` option of every fetch in this program. Verification is the default, but a leftover environment variable
 * (NODE_TLS_REJECT_UNAUTHORIZED=0) would switch it off, and responses could be forged on the way. It has no effect on http URLs.
 */
export const VERIFIED_TLS = { rejectUnauthorized: true } as const
