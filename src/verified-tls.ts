/**
 * The `tls` option of every fetch that this program makes. Verification is the default, but without this an environment
 * variable left over from somebody's test (NODE_TLS_REJECT_UNAUTHORIZED=0) switches it off, and an answer on the way could
 * be forged. It changes nothing for http URLs.
 */
export const VERIFIED_TLS = { rejectUnauthorized: true } as const
