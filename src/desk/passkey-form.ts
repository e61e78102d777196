/** A form whose button asks the browser for a passkey. The script of the page puts what the browser made into it. */
import { type JsonValue, jsonOrUndefined } from "../core/strict-json.ts"
import { type Html, html } from "../pages/html.ts"
import { tokenField } from "./parts.ts"
import type { DeskForm, Reviewing } from "./visit.ts"

/** As long as a challenge. */
const TIMEOUT_MS = 600_000
/** EdDSA, ECDSA over P-256, RSA (Windows Hello). The first that the authenticator has is taken. */
const ALGORITHMS = [-8, -7, -257]

interface PasskeyForm {
  readonly action: string
  /** Of `navigator.credentials`. */
  readonly kind: "create" | "get"
  /** The options in their JSON form (WebAuthn Level 3). */
  readonly options: object
  /** Of the button. */
  readonly label: string
}

export function passkeyForm(me: Reviewing, { action, kind, options, label }: PasskeyForm): Html {
  return html`<form method="post" action="${action}" data-passkey="${kind}" data-options="${JSON.stringify(options)}">${tokenField(me, action)}
<input type="hidden" name="credential" value="">
<p class="notice" data-passkey-notice><strong>This step needs a script.</strong> A browser makes and shows a passkey by a script alone. Everything before it works without one.</p>
<p><button type="submit">${label}</button></p>
<p role="status" data-passkey-state></p>
</form>`
}

/** The id of the relying party is the host of the origin. */
export function assertionOptions(origin: string, challenge: string, credentialIds: readonly string[]): object {
  return {
    challenge,
    rpId: new URL(origin).hostname,
    allowCredentials: credentialIds.map((id) => ({ type: "public-key", id })),
    userVerification: "required",
    timeout: TIMEOUT_MS,
  }
}

interface NewCredential {
  readonly origin: string
  readonly challenge: string
  /** base64url. */
  readonly userId: string
  readonly name: string
  /** Ids of the credentials that the person has. */
  readonly known: readonly string[]
}

export function registrationOptions({ origin, challenge, userId, name, known }: NewCredential): object {
  return {
    challenge,
    rp: { id: new URL(origin).hostname, name: "Review desk" },
    user: { id: userId, name, displayName: name },
    pubKeyCredParams: ALGORITHMS.map((alg) => ({ type: "public-key", alg })),
    excludeCredentials: known.map((id) => ({ type: "public-key", id })),
    authenticatorSelection: { userVerification: "required", residentKey: "preferred" },
    attestation: "none",
    timeout: TIMEOUT_MS,
  }
}

/** What the browser made, as `toJSON()` says it; undefined for another text. */
export function credentialIn(form: DeskForm): JsonValue | undefined {
  return jsonOrUndefined(new TextEncoder().encode(form.text("credential")))
}
