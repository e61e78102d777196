/**
 * Builds the job rail of a running service. It opens after payments, whose nodes it uses, and serves no job before chain, contract, token,
 * fees and implementation are as the operator set them.
 */
import type { Address } from "viem"
import { ACP_CHAIN_ID } from "../../schemas/acp/terms.ts"
import { bugFields } from "../base/log.ts"
import type { Reason } from "../base/readiness.ts"
import { periodic, type Worker } from "../base/worker.ts"
import { formatInstant, MINUTE, SECOND } from "../core/time.ts"
import type { DeliveryDeps } from "../delivery/deps.ts"
import { openRelayer, type Relayer } from "../payments/relayer.ts"
import { RpcUnavailable } from "../payments/rpc.ts"
import { isPaused, recordChannelCheck } from "../store/jobs/channel.ts"
import { type EscrowState, escrowState } from "./chain/escrow-state.ts"
import type { AcpDeps, IssuerPlaces, JobProduct } from "./deps.ts"
import { meetJob } from "./discover.ts"
import type { AcpHub } from "./hub/hub.ts"
import { openHub } from "./hub/hub-client.ts"
import type { JobSettings } from "./job-settings.ts"
import { workRound } from "./round.ts"

/** Base has a block every two seconds. */
const ROUND_MS = 2 * SECOND
/** The hub's list of jobs is read every ten seconds. Its stream and the chain's logs name new jobs before. */
const ROUNDS_PER_HUB_QUESTION = 5
const STATE_MS = 15 * SECOND
/** An older check proves nothing about the present state. */
const STATE_MS_MAX = MINUTE
/** Pause before the hub's stream is opened again. */
const LISTEN_AGAIN_MS = 5 * SECOND
/** Checks of processes that have ended are forgotten after this time. */
const CHECK_KEPT_MS = 60 * MINUTE

/** What contact and the channels tell of the rail. Addresses as in the offering. */
interface JobRailState {
  /** Whether a new job would be served now. */
  readonly isTaking: boolean
  readonly providerAddress: string
  readonly escrowContract: string
  readonly offeringId: string
}

export interface JobRail {
  readonly workers: readonly Worker[]
  state(): JobRailState
}

interface JobRailParts {
  readonly settings: JobSettings
  readonly delivery: DeliveryDeps
  readonly sold: JobProduct
  readonly issuer: IssuerPlaces
  readonly writer: AcpDeps["writer"]
}

export async function openJobs({ settings, ...parts }: JobRailParts): Promise<JobRail> {
  const { privateKeyToAccount } = await import("viem/accounts")
  const key = settings.providerKey
  const wallet = openRelayer(key, ACP_CHAIN_ID)
  const { hubUrl: url, signIn, contract, offeringId, channel, implementations } = settings
  const { machine } = parts.delivery
  const stopped = new AbortController()
  const account = privateKeyToAccount(key)
  const hub = openHub({ url, chainId: ACP_CHAIN_ID, signIn, account, machine, stopped: stopped.signal })
  return jobRailOver({ ...parts, hub, wallet, terms: { contract, offeringId, channel, implementations }, stopped })
}

export interface JobRailSeams extends Omit<JobRailParts, "settings"> {
  readonly hub: AcpHub
  readonly wallet: Relayer
  readonly terms: Pick<JobSettings, "contract" | "offeringId" | "channel" | "implementations">
  /** Aborted by the first worker that stops. */
  readonly stopped?: AbortController
}

/** The job rail over an open hub and wallet. */
export function jobRailOver(seams: JobRailSeams): JobRail {
  const { delivery, wallet, terms, stopped = new AbortController() } = seams
  const { store, machine, log, owner } = delivery
  let taking = false
  /** The nodes show the chain and the contract of the offering. Otherwise nothing is read or sent. */
  let isRightContract = false
  let rounds = 0
  let checkedAt = Number.NEGATIVE_INFINITY
  const isTaking = () => taking && machine.monotonic() - checkedAt <= STATE_MS_MAX
  const opened = depsOnceOpen(seams, isTaking)

  async function checkState(): Promise<void> {
    const open = await opened()
    if (open === null) return
    const state = await stateNow(open)
    const paused = await store.read(isPaused)
    const codes = [...state.reasons.map(({ code }) => code), ...(paused ? ["ACP_PAUSED"] : [])]
    const was = taking
    taking = codes.length === 0
    isRightContract = !codes.some((code) => WRONG_CONTRACT.has(code)) && (isRightContract || !codes.includes(NO_ANSWER))
    checkedAt = machine.monotonic()
    if (was !== taking) log.warn("acp_readiness_changed", { not_ready: codes.join(" ") || null })
    const now = machine.now()
    const found = {
      owner,
      at: formatInstant(now),
      provider: open.offering.provider,
      reasons: JSON.stringify(codes),
      platformFeeBp: state.platformFeeBp,
      evaluatorFeeBp: state.evaluatorFeeBp,
      balanceWei: state.balanceWei === null ? null : String(state.balanceWei),
    }
    await store.run(() => recordChannelCheck(found, formatInstant(now - CHECK_KEPT_MS)))
  }

  async function round(): Promise<void> {
    const open = await opened()
    // Jobs are not served before the first check.
    if (open !== null && checkedAt === Number.NEGATIVE_INFINITY) await checkState()
    if (open !== null && isRightContract) await workRound(open, rounds++ % ROUNDS_PER_HUB_QUESTION === 0)
  }

  return {
    workers: [
      periodic("job rail", STATE_MS, checkState, { machine, log }),
      periodic("jobs", ROUND_MS, round, { machine, log }),
      listener(opened, delivery, stopped),
    ],
    state: () => ({
      isTaking: isTaking(),
      providerAddress: wallet.address as Address,
      escrowContract: terms.contract,
      offeringId: terms.offeringId,
    }),
  }
}

/** What the steps of a job use; null while the service has no payments. */
function depsOnceOpen(seams: JobRailSeams, isTaking: () => boolean): () => Promise<AcpDeps | null> {
  const { delivery, writer, sold, issuer, hub, wallet, terms } = seams
  const { store, machine, log, owner, leaseMs } = delivery
  const { contract, offeringId, channel, implementations } = terms
  const provider = wallet.address.toLowerCase()
  let deps: AcpDeps | null = null
  return async () => {
    await delivery.opened()
    const { payments } = delivery
    if (payments === null) return null
    const token = payments.chain.asset.address.toLowerCase()
    deps ??= {
      store,
      writer,
      machine,
      log,
      chain: payments.chain,
      hub,
      wallet,
      offering: { chainId: ACP_CHAIN_ID, contract, provider, token, offeringId, channel, implementations },
      sold,
      issuer,
      gasPolicy: payments.gasPolicy,
      isTaking,
      owner,
      leaseMs,
      strayLeases: new Set(),
    }
    return deps
  }
}

const NO_ANSWER = "ACP_CHAIN_UNAVAILABLE"
const WRONG_CONTRACT: ReadonlySet<string> = new Set(["ACP_WRONG_CHAIN", "ACP_NO_CONTRACT", "ACP_OTHER_TOKEN"])

type StateNow = Omit<EscrowState, "balanceWei"> & { readonly balanceWei: bigint | null }

const CHAIN_UNAVAILABLE: Reason = {
  code: NO_ANSWER,
  detail: "A node of the payment network does not answer.",
}

async function stateNow({ chain, offering }: AcpDeps): Promise<StateNow> {
  try {
    return await escrowState(chain, offering)
  } catch (error) {
    if (!(error instanceof RpcUnavailable)) throw error
    return { reasons: [CHAIN_UNAVAILABLE], platformFeeBp: null, evaluatorFeeBp: null, balanceWei: null }
  }
}

/** Keeps the hub's stream open. Its events only make the next poll come sooner. */
function listener(
  opened: () => Promise<AcpDeps | null>,
  { machine, log }: DeliveryDeps,
  stopped: AbortController,
): Worker {
  let running: Promise<void> = Promise.resolve()
  async function listen(): Promise<void> {
    while (!stopped.signal.aborted) {
      const deps = await opened()
      if (deps === null) return
      await deps.hub.listen((jobId) => void meet(deps, jobId), stopped.signal)
      await pause()
    }
  }
  async function meet(deps: AcpDeps, jobId: string): Promise<void> {
    try {
      await meetJob(deps, jobId)
    } catch (error) {
      // The rounds find the job by themselves.
      if (!(error instanceof RpcUnavailable)) log.error("acp_wake_failed", bugFields(error))
    }
  }
  function pause(): Promise<void> {
    return new Promise((resolve) => {
      const end = () => {
        cancel()
        stopped.signal.removeEventListener("abort", end)
        resolve()
      }
      const cancel = machine.after(LISTEN_AGAIN_MS, end)
      stopped.signal.addEventListener("abort", end, { once: true })
    })
  }
  return {
    name: "hub stream",
    start: () => {
      running = listen().catch((error) => log.error("worker_failed", { worker: "hub stream", ...bugFields(error) }))
    },
    stop: async () => {
      stopped.abort()
      await running
    },
  }
}
