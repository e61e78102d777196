import type { SignedFormName } from "../signed-forms.ts"
import type { DigestFormName } from "./digest-forms.ts"

/** A name in `GET /v1/agent/signed-forms`: a signed form, the signed HTTP request, or a digest. */
export type FormName = SignedFormName | "AGENT_REQUEST" | DigestFormName
