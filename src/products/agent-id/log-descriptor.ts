import type { LogDescriptor } from "../../../schemas/agent-id/log.ts"
import { writeVerifierKey } from "../../core/checkpoint.ts"
import { LOG_DOES_NOT_PROVE, LOG_PROVES } from "../../core/log-claims.ts"
import { sha256 } from "../../core/sha256.ts"
import { verifierKeyOf } from "../../core/sign-checkpoint.ts"
import type { EarlierOrigin } from "../../store/log/log-origin.ts"

/** `publicKeys`: the keys that sign or signed checkpoints, base64url, the current key first. */
export function logDescriptor(
  { origin, earlierOrigins }: { readonly origin: string; readonly earlierOrigins: readonly EarlierOrigin[] },
  baseUrl: string,
  publicKeys: readonly string[],
): LogDescriptor {
  const at = `${baseUrl}/v1/agent-id/log`
  return {
    schema_version: "1.0.0",
    origin,
    ...(earlierOrigins.length > 0 && { earlier_origins: [...earlierOrigins] }),
    verifier_keys: publicKeys.map((x) => writeVerifierKey(sha256, verifierKeyOf(origin, x))),
    checkpoint_uri: `${at}/checkpoint`,
    tile_uri_prefix: `${at}/tile/`,
    inclusion_uri_template: `${at}/inclusion/{log_index}/{tree_size}`,
    consistency_uri_template: `${at}/consistency/{from_tree_size}/{to_tree_size}`,
    hash: "SHA-256",
    tree: "RFC6962",
    leaf: {
      bytes: 96,
      framing: "In entries tiles two bytes of length, most significant first, before each leaf",
      key_event: "map key || SHA-256(C14N(event)) || map root after it",
      artifact: 'SHA-256("SVC-ARTIFACT-LEAF-V1\\n") || digest || map root, unchanged',
      capsule: 'SHA-256("SVC-CAPSULE-LEAF-V1\\n") || digest || map root, unchanged',
    },
    map: {
      key: 'SHA-256("SVC-MAP-KEY-V1\\n" || agent_id)',
      empty: "32 zero bytes",
      entry: "SHA-256(0x02 || key || newest event digest), where only one entry is left",
      branch: "SHA-256(0x03 || left || right), by the key's bits, most significant first, 0 left",
    },
    proves: [...LOG_PROVES],
    does_not_prove: [...LOG_DOES_NOT_PROVE],
    next_machine_action: "PIN_VERIFIER_KEY_AND_READ_CHECKPOINT",
  }
}
