/** The Agent ID documents that are the same for every caller. */

import { readClaim } from "../../../schemas/agent-id/claim.ts"
import { channelBootstrapOf, readBootstrap, readDescriptor, readMark } from "../../../schemas/agent-id/descriptor.ts"
import { canonicalBytes } from "../../core/canonical-json.ts"
import { heldDocument, heldOnFirstRequest } from "../../http/conditional.ts"
import type { Route } from "../../http/route.ts"
import { serve } from "../../http/serve.ts"
import type { Shell } from "../../http/shell.ts"
import type { Store } from "../../store/engine/unit.ts"
import { channelBootstrap } from "./channel-entry.ts"
import { KEY_CONTROL_CLAIM } from "./claim.ts"
import { agentIdBootstrap, agentIdDescriptor, type DescriptorParts } from "./descriptor.ts"
import { MARK_SVG } from "./mark.ts"

interface AgentIdDiscoveryDeps extends DescriptorParts {
  readonly shell: Shell
  readonly store: Store
  readonly channels: readonly string[]
}

const FIVE_MINUTES = { "content-type": "application/json", "cache-control": "public, max-age=300" }
/**
 * CHOICE: `immutable` for one day. A version of the claim never changes, but its URL names the claim and not the version, so a later
 * version must become visible.
 */
const IMMUTABLE = { "content-type": "application/json", "cache-control": "public, max-age=86400, immutable" }
/** A browser treats an image that is opened directly as a document. It must not load, run or frame anything. */
const IMAGE = {
  "content-type": "image/svg+xml",
  "cache-control": "public, max-age=86400",
  "content-security-policy": "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; sandbox",
  "cross-origin-resource-policy": "cross-origin",
}

export function agentIdDiscovery(deps: AgentIdDiscoveryDeps): readonly Route[] {
  const { shell, store, channels } = deps
  const parts: DescriptorParts = { baseUrl: deps.baseUrl, issuerName: deps.issuerName }
  const descriptor = heldOnFirstRequest(() => heldDocument(canonicalBytes(agentIdDescriptor(parts)), FIVE_MINUTES))
  const bootstrap = heldOnFirstRequest(() => heldDocument(canonicalBytes(agentIdBootstrap(parts)), FIVE_MINUTES))
  const claim = heldOnFirstRequest(() => heldDocument(canonicalBytes(KEY_CONTROL_CLAIM), IMMUTABLE))
  const mark = heldOnFirstRequest(() => heldDocument(MARK_SVG, IMAGE))
  const ofChannel = channelBootstrap({ store, log: shell.log, parts, channels })
  return [
    serve(shell, readDescriptor, ({ headers }) => descriptor(headers)),
    serve(shell, readBootstrap, ({ headers }) => bootstrap(headers)),
    serve(shell, channelBootstrapOf(channels), ofChannel),
    serve(shell, readMark, ({ headers }) => mark(headers)),
    serve(shell, readClaim, ({ headers }) => claim(headers)),
  ]
}
