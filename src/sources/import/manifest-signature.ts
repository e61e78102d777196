/**
 * The signature of a snapshot's manifest, for machines without a network that receive lists on removable media. It covers every file by its
 * digest, and the retrieval time, so that nobody can make an old list look fresh.
 */
import { Value } from "@sinclair/typebox/value"
import { ManifestSignature, type SignedSnapshotManifest } from "../../../schemas/snapshot-manifest.ts"
import { canonicalize } from "../../core/canonical-json.ts"
import { signWith, verifySignature } from "../../core/ed25519.ts"
import { keyIdOf } from "../../core/jwk.ts"
import { isSignedForm } from "../../core/signed-forms.ts"
import type { Signer } from "../../core/signer.ts"
import { without } from "../../core/without.ts"
import type { Finding } from "../records/adapter.ts"
import { hard } from "../records/findings.ts"

export type SignatureState =
  | { readonly state: "VALID"; readonly keyId: string }
  | { readonly state: "ABSENT" }
  /** Signed by a key outside the given ones; nothing is known about it. */
  | { readonly state: "OTHER_KEY"; readonly keyId: string }
  | { readonly state: "INVALID"; readonly why: string }

type SignedManifest = SignedSnapshotManifest & { readonly signature: ManifestSignature }

export function signManifest(
  content: SignedSnapshotManifest,
  { keyId, privateKey }: Omit<Signer, "issuer">,
): SignedManifest {
  if (!isSignedForm("SNAPSHOT_MANIFEST", content)) throw new TypeError("not a manifest that may be signed")
  return {
    ...content,
    signature: { alg: "Ed25519", key_id: keyId, value: signWith(privateKey, canonicalize(content)) },
  }
}

/** `manifest` is the output of the strict JSON parser. `keys` are public keys (RFC 8037 `x`) that passed the key check. */
export function signatureState(manifest: unknown, keys: readonly string[]): SignatureState {
  if (typeof manifest !== "object" || manifest === null || !Object.hasOwn(manifest, "signature"))
    return { state: "ABSENT" }
  const { signature } = manifest as { signature: unknown }
  if (!Value.Check(ManifestSignature, signature)) return { state: "INVALID", why: "the signature has another form" }
  const content = without(manifest as { signature: unknown }, "signature")
  // Check the form before the key: content signed for another purpose never counts here, whoever signed it.
  if (!isSignedForm("SNAPSHOT_MANIFEST", content))
    return { state: "INVALID", why: "the manifest has another form than is signed" }
  const key = keys.find((x) => keyIdOf(x) === signature.key_id)
  if (key === undefined) return { state: "OTHER_KEY", keyId: signature.key_id }
  return verifySignature(key, canonicalize(content), signature.value)
    ? { state: "VALID", keyId: signature.key_id }
    : {
        state: "INVALID",
        why: "the signature does not verify: the manifest was changed, or it signs another form than /v1/agent/signed-forms#SNAPSHOT_MANIFEST",
      }
}

/**
 * With pinned keys, only a manifest with a valid signature may become active. Without pinned keys the signer is unknown. `manifest` is null
 * for loose files.
 */
export function signatureFindings(manifest: unknown, pinned: readonly string[]): Finding[] {
  if (pinned.length === 0) return []
  const found = signatureState(manifest, pinned)
  switch (found.state) {
    case "VALID":
      return []
    case "ABSENT":
      return [
        hard("UNSIGNED", "source_manifest_keys asks for a manifest signed by one of its keys; there is no signature"),
      ]
    case "OTHER_KEY":
      return [hard("UNSIGNED", `signed by ${found.keyId}, which is none of source_manifest_keys`)]
    case "INVALID":
      return [hard("SIGNATURE_INVALID", found.why)]
  }
}
