// The forms in which services issue secret tokens, as their issuers and the public secret scanners state them.

/** How a token begins, as fixed text and then as an expression. No other text begins so by chance. */
const TOKENS: readonly (readonly [head: string, rest: string])[] = [
  // Stripe, and webhooks signed in its way.
  ["sk_", "(?:live|test)_[A-Za-z0-9]{10,}"],
  ["rk_", "(?:live|test)_[A-Za-z0-9]{10,}"],
  ["whsec_", "[A-Za-z0-9+/=]{24,}"],
  // GitHub, GitLab.
  ["gh", "[pousr]_[A-Za-z0-9]{36}"],
  ["github_pat_", "[A-Za-z0-9_]{22,}"],
  ["gl", "(?:pat|ptt|dt|rt)-[A-Za-z0-9_-]{20,}"],
  // AWS, Google, DigitalOcean, Databricks.
  ["AKIA", "[A-Z0-9]{16}"],
  ["ASIA", "[A-Z0-9]{16}"],
  ["AIza", "[A-Za-z0-9_-]{35}"],
  ["ya29.", "[A-Za-z0-9_-]{20,}"],
  ["GOCSPX-", "[A-Za-z0-9_-]{20,}"],
  ["do", "[opr]_v1_[a-f0-9]{64}"],
  ["dapi", "[a-f0-9]{32}"],
  // Slack, SendGrid, Brevo, Shopify, Square.
  ["xox", "[abceoprs]-[A-Za-z0-9-]{10,}"],
  ["xapp-", "\\d-[A-Za-z0-9-]{10,}"],
  ["SG.", "[A-Za-z0-9_-]{22}\\.[A-Za-z0-9_-]{43}"],
  ["xkeysib-", "[a-f0-9]{64}"],
  ["shp", "(?:at|ca|pa|ss)_[a-fA-F0-9]{32}"],
  ["sq0", "(?:atp|csp)-[A-Za-z0-9_-]{22,}"],
  // Model providers.
  ["sk-", "(?:proj|svcacct|admin|ant|or)-[A-Za-z0-9_-]{20,}"],
  ["sk-", "[A-Za-z0-9]{20}T3BlbkFJ[A-Za-z0-9]{20}"],
  ["sk-", "[A-Za-z0-9]{48}"],
  ["hf_", "[A-Za-z]{34}"],
  ["gsk_", "[A-Za-z0-9]{52}"],
  ["xai-", "[A-Za-z0-9]{80}"],
  // Package registries, HashiCorp Vault, Postman, Linear, Figma, Razorpay.
  ["npm_", "[A-Za-z0-9]{36}"],
  ["pypi-AgE", "[A-Za-z0-9_-]{16,}"],
  ["hv", "[sb]\\.[A-Za-z0-9_-]{24,}"],
  ["PMAK-", "[a-f0-9]{24}-[a-f0-9]{34}"],
  ["lin_api_", "[A-Za-z0-9]{40}"],
  ["figd_", "[A-Za-z0-9_-]{40}"],
  ["rzp_live_", "[A-Za-z0-9]{14,}"],
]

/** The first two characters of every token. */
export const TOKEN_HEADS: readonly string[] = TOKENS.map(([head]) => head.slice(0, 2))

const ANY_TOKEN = TOKENS.map(([head, rest]) => head.replace(".", "\\.") + rest).join("|")

/** A token begins and ends where no letter and no digit touches it. */
const TOKEN = new RegExp(`(?<![A-Za-z0-9])(?:${ANY_TOKEN})(?![A-Za-z0-9])`)

const WHOLE_TOKEN = new RegExp(`^(?:${ANY_TOKEN})$`)

/** `Bearer` or `Basic` and what follows it, as in an Authorization header. A word of a sentence has neither a digit nor padding. */
const AUTHORIZATION = /(?<![a-z0-9])(?:bearer|basic)[\s:=]{1,4}(?=[a-z._~+/-]*[0-9=])[a-z0-9._~+/=-]{16,}/i

/** `scheme://user:password@host`. */
const URL_PASSWORD = /[a-z0-9]:\/\/[^\s/?#@:]{0,256}:[^\s/?#@]{1,256}@/i

/**
 * CHOICE: a signed token (JWT, JWS in compact form) is a secret in every member, because nobody can see whether its holder may act with it.
 * Whoever wants to name a signed statement sends its digest. A detached signature, which has an empty middle part, is none.
 */
const SIGNED_TOKEN = /(?<![A-Za-z0-9_-])eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{4,}\.[A-Za-z0-9_-]*/

/** True for a token with the prefix of its issuer. */
export function hasIssuedToken(text: string): boolean {
  return TOKEN.test(text)
}

/** True for a text that is a token and nothing else. */
export function isIssuedToken(text: string): boolean {
  return WHOLE_TOKEN.test(text)
}

/** True for a signed token, a password in a URL, or the value of an Authorization header. */
export function hasCredential(text: string): boolean {
  return (
    (text.includes("eyJ") && SIGNED_TOKEN.test(text)) ||
    (text.includes("@") && URL_PASSWORD.test(text)) ||
    AUTHORIZATION.test(text)
  )
}
