/** The documents of Agent ID that are the same for everybody, made once at start. */
import { Elysia } from "elysia"
import { readClaim } from "../../../schemas/agent-id/claim.ts"
import { channelBootstrapOf, readBootstrap, readDescriptor, readMark } from "../../../schemas/agent-id/descriptor.ts"
import { readPostmanCollection } from "../../../schemas/agent-id/postman.ts"
import { canonicalBytes } from "../../core/canonical-json.ts"
import { conditional } from "../../http/conditional.ts"
import { type Shell, serve } from "../../http/serve.ts"
import type { Store } from "../../store/unit.ts"
import { channelBootstrap } from "./channel-entry.ts"
import { KEY_CONTROL_CLAIM } from "./claim.ts"
import { agentIdBootstrap, agentIdDescriptor, type DescriptorParts } from "./descriptor.ts"
import { MARK_SVG } from "./mark.ts"
import { postmanCollection } from "./postman-collection.ts"

export interface AgentIdDiscoveryDeps extends DescriptorParts {
  readonly shell: Shell
  readonly store: Store
  readonly channels: readonly string[]
}

const FIVE_MINUTES = { "content-type": "application/json", "cache-control": "public, max-age=300" }
/**
 * CHOICE: `immutable` for one day. A version of the claim never changes, but its address is that of the claim, not of the
 * version: a later version must be seen some day.
 */
const IMMUTABLE = { "content-type": "application/json", "cache-control": "public, max-age=86400, immutable" }
/** An image is a document when it is opened by itself: it may load, run and frame nothing. */
const IMAGE = {
  "content-type": "image/svg+xml",
  "cache-control": "public, max-age=86400",
  "content-security-policy": "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; sandbox",
  "cross-origin-resource-policy": "cross-origin",
}

export function agentIdDiscovery(deps: AgentIdDiscoveryDeps): Elysia {
  const { shell, store, channels } = deps
  const parts: DescriptorParts = { baseUrl: deps.baseUrl, issuerName: deps.issuerName }
  const descriptor = canonicalBytes(agentIdDescriptor(parts))
  const bootstrap = canonicalBytes(agentIdBootstrap(parts))
  const claim = canonicalBytes(KEY_CONTROL_CLAIM)
  const collection = canonicalBytes(postmanCollection(parts))
  const mark = new TextEncoder().encode(MARK_SVG)
  const ofChannel = channelBootstrap({ store, log: shell.log, parts, channels })
  const routes = new Elysia({ normalize: false })
    .use(serve(shell, readDescriptor, ({ headers }) => conditional(headers, descriptor, FIVE_MINUTES)))
    .use(serve(shell, readBootstrap, ({ headers }) => conditional(headers, bootstrap, FIVE_MINUTES)))
    .use(serve(shell, channelBootstrapOf(channels), ofChannel))
    .use(serve(shell, readMark, ({ headers }) => conditional(headers, mark, IMAGE)))
    .use(serve(shell, readClaim, ({ headers }) => conditional(headers, claim, IMMUTABLE)))
    .use(serve(shell, readPostmanCollection, ({ headers }) => conditional(headers, collection, FIVE_MINUTES)))
  return routes as unknown as Elysia
}
