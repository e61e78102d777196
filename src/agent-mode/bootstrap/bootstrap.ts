/** Computes the bootstrap of one agent from the served rows, the settings and its identity. Stores nothing. */
import { hash } from "node:crypto"
import type { AgentIdBootstrap } from "../../../schemas/agent-id/descriptor.ts"
import {
  type AgentBootstrapRequest,
  type AgentBootstrapResponse,
  agentBootstrap,
} from "../../../schemas/agent-mode/bootstrap.ts"
import { PLANNING_FLAG } from "../../../schemas/agent-mode/planning-operations.ts"
import { IMPORT_BYTES_MAX } from "../../../schemas/agent-mode/proof-wallet.ts"
import { canonicalize } from "../../core/canonical-json.ts"
import { digestOf } from "../../core/digest.ts"
import { formatId, ID_RANDOM_BYTES } from "../../core/ids.ts"
import { formatInstant, HOUR, SECOND } from "../../core/time.ts"
import type { Call, Reply } from "../../http/call.ts"
import { BODY_BYTES_MAX } from "../../http/read-body.ts"
import type { Shell } from "../../http/shell.ts"
import { readSandboxKey } from "../../keys/sandbox-key.ts"
import type { Store, Unit } from "../../store/engine/unit.ts"
import { findIdentity } from "../../store/identity/agent-identity.ts"
import { CONTRACT, NO_EFFECTS } from "../answer-members.ts"
import { WALLET_LIMITS } from "../wallet/import-artifact.ts"
import { bootstrapSteps, type StepParts, type Steps } from "./bootstrap-steps.ts"
import { requireAgentOfNoService, requireSandboxOn, requireSyntheticProvider } from "./isolation.ts"
import { RECENT_KEY_MS, type RecentKeys } from "./recent-keys.ts"

export interface BootstrapDeps {
  readonly shell: Shell
  readonly store: Store
  readonly recentKeys: RecentKeys
  readonly baseUrl: () => string
  /** The bootstrap descriptor of Agent ID. */
  readonly identity: () => AgentIdBootstrap
  readonly operations: () => StepParts["operations"]
  /** Ids of served operations that take no call now. */
  readonly unavailable: () => ReadonlySet<string>
  /** The documents that anyone may read without knowing anything. */
  readonly documents: () => AgentBootstrapResponse["discovery"]["documents"]
  readonly sandbox: {
    /** Setting `sandbox`. */
    readonly isOn: boolean
    /** Names of the journeys that run here now; none if the sandbox is off. */
    readonly journeys: () => readonly string[]
  }
  /** Setting `agent_mode_planning`. */
  readonly isPlanningOn: boolean
  /** False if the server limits no calls (`rate_limits = off`). */
  readonly countsCalls: boolean
}

const VALID_MS = HOUR

export async function replyBootstrap(
  deps: BootstrapDeps,
  { body, client, at }: Call<AgentBootstrapRequest>,
): Promise<Reply> {
  const isSandbox = body.environment === "SANDBOX"
  if (isSandbox) requireSandboxOn(deps.sandbox.isOn)
  const agents = await readAgents(deps.store, body.agent_id)
  if (isSandbox) requireAgentOfNoService(ENROLLED.has(agents.agent.identity_status))
  requireSyntheticProvider(body.provider)
  const { idempotency_key: idempotencyKey } = body
  deps.recentKeys.requireOneBody({
    operationId: agentBootstrap.id,
    client,
    idempotencyKey,
    bodyDigest: digestOf(body),
  })
  return { status: 200, body: bootstrapOf(deps, body, agents, at) }
}

type IdentityStatus = AgentBootstrapResponse["agent"]["identity_status"]

const ENROLLED: ReadonlySet<IdentityStatus> = new Set(["ACTIVE", "REVOKED"])

interface Agents {
  readonly agent: AgentBootstrapResponse["agent"]
  readonly sandboxKey: AgentBootstrapResponse["sandbox"]["key"]
}

function readAgents(store: Store, agentId: string | null): Promise<Agents> {
  return store.readTogether(() => agentsOf(agentId))
}

function* agentsOf(agentId: string | null): Unit<Agents> {
  const sandboxKey = yield* readSandboxKey()
  if (agentId === null) return { agent: { agent_id: null, identity_status: "NOT_STATED" }, sandboxKey }
  const identity = yield* findIdentity(agentId)
  return { agent: { agent_id: agentId, identity_status: identity?.identityStatus ?? "UNKNOWN" }, sandboxKey }
}

function bootstrapOf(
  deps: BootstrapDeps,
  body: AgentBootstrapRequest,
  { agent, sandboxKey }: Agents,
  at: number,
): AgentBootstrapResponse {
  const { sandbox, isPlanningOn } = deps
  const parts = { baseUrl: deps.baseUrl(), operations: deps.operations(), unavailable: deps.unavailable() }
  // CHOICE: whatever a sandbox agent asks for, it rehearses in journeys: no other route has an environment of its own for it.
  const requested = body.environment === "SANDBOX" ? (["SANDBOX"] as const) : body.requested_capabilities
  const found = bootstrapSteps(parts, requested, agent.identity_status === "ACTIVE")
  return {
    ...CONTRACT,
    bootstrap_id: bootstrapId(body),
    environment: body.environment,
    agent,
    steps: [...found.steps],
    identity: { enrollment: deps.identity().enrollment },
    discovery: { documents: deps.documents() },
    sandbox: {
      enabled: sandbox.isOn,
      journeys: [...sandbox.journeys()],
      key: sandboxKey,
    },
    planning: { enabled: isPlanningOn, flag: PLANNING_FLAG },
    limits: limitsOf(parts, found.steps, deps.countsCalls),
    valid_as_of: formatInstant(at),
    expires_at: formatInstant(at + VALID_MS),
    effects: NO_EFFECTS,
    limitations: [
      "STATE_MAY_CHANGE_BEFORE_THE_CALL",
      ...found.notAvailable.map((capability) => `${capability}_NOT_AVAILABLE_NOW`),
    ],
    next_machine_action: nextAction(found, agent.identity_status),
  }
}

/** The same request has the same id, whoever answers it. */
function bootstrapId(body: AgentBootstrapRequest): string {
  return formatId("bst", hash("sha256", canonicalize(body), "buffer").subarray(0, ID_RANDOM_BYTES))
}

/** The budgets of the steps are left out where the server counts no calls. */
function limitsOf(
  { operations }: Pick<StepParts, "operations">,
  steps: Steps["steps"],
  countsCalls: boolean,
): Record<string, number> {
  const { entriesMax, documentBytesMax, importsPerHourMax } = WALLET_LIMITS
  const rows = new Map(operations.map((row) => [row.id, row]))
  const budgets = steps.map(({ operation_id }): [string, number] => [
    `${operation_id}_per_minute`,
    rows.get(operation_id)?.rateLimit.perMinute ?? 0,
  ])
  return {
    body_bytes: BODY_BYTES_MAX,
    wallet_import_body_bytes: IMPORT_BYTES_MAX,
    wallet_entries: entriesMax,
    wallet_document_bytes: documentBytesMax,
    wallet_imports_per_hour: importsPerHourMax,
    idempotency_key_seconds: RECENT_KEY_MS / SECOND,
    ...(countsCalls ? Object.fromEntries(budgets) : {}),
  }
}

function nextAction({ steps }: Steps, status: IdentityStatus): string {
  if (steps.length === 0) return "STOP_AND_SEEK_ALTERNATIVE"
  return status === "REVOKED" ? "ENROLL_NEW_IDENTITY" : "CALL_STEPS_IN_ORDER"
}
