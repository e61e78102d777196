/** The settings of the job rail, and their faults that need neither network nor computation to find. */
import type { SignInScheme } from "./hub/sign-in.ts"

export interface JobSettings {
  readonly hubUrl: string
  readonly signIn: SignInScheme
  /** Text of the provider's key file. */
  readonly providerKey: string
  readonly offeringId: string
  readonly channel: string
  /** Addresses in lower case. */
  readonly contract: string
  readonly implementations: readonly string[]
}

/** All faults at once, without any setting's value; empty if jobs may be served with these settings. */
export function jobSettingFaults({ providerKey, offeringId, implementations }: JobSettings): string[] {
  return [
    ...(/^0x[0-9a-fA-F]{64}$/.test(providerKey.trim())
      ? []
      : ["acp_provider_key_file must hold a 32-byte key as 0x and 64 hex digits, with acp_jobs = on"]),
    ...(offeringId === "" ? ["acp_offering_id is needed with acp_jobs = on"] : []),
    ...(implementations.length === 0 ? ["acp_implementations is needed with acp_jobs = on"] : []),
  ]
}
