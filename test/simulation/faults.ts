/** The rate of each fault. Rates are per query, per statement or per second of virtual time; a duration is in ms. */
import type { Lie } from "../sandbox/chain/parts/faulty-node.ts"

/** `clocks`: every process and node works, and only clocks, buyers, strangers and reorganizations are bad. */
export type FaultLevel = "none" | "light" | "heavy" | "clocks"

export interface FaultRates {
  /** Of one query to a node. */
  readonly rpc: {
    readonly slow: number
    /** The query is lost: no response, and no effect. */
    readonly lost: number
    /** The response is lost, but the effect happened. */
    readonly unanswered: number
    readonly error: number
    /** Of one HTTP response to a batch: the node breaks it, or refuses the batch. */
    readonly brokenBatch: number
    /** Of one HTTP response to a single question. */
    readonly brokenAnswer: number
    /** A broadcast that a node refuses without a reason. */
    readonly refusedBroadcast: number
    /** A broadcast that a node accepts and loses. */
    readonly forgottenBroadcast: number
  }
  /** Of one authorization: a thief sees it. Also of one that a server released: someone brings it to the chain. */
  readonly robbery: number
  /** Of one signature that a transaction of the service made public: an adversary submits it, perhaps before its window. */
  readonly adversary: number
  /** Of one authorization: its signer's clock is wrong, or it begins later. */
  readonly oddWindow: number
  /** Of one question to the hub of jobs. `slow`: done, but no answer in time. `unanswered`: done, and the answer is 504. */
  readonly hub: { readonly slow: number; readonly lost: number; readonly unanswered: number; readonly error: number }
  /** Of one statement of a transaction that writes. */
  readonly database: { readonly busy: number; readonly full: number; readonly io: number; readonly kill: number }
  /** Of one statement to a server of databases; `conflict` in a transaction that writes. It also has `full` and `kill` of `database`. */
  readonly server: { readonly conflict: number; readonly cut: number }
  /** Times in a virtual second that no process reaches the server of databases for a while. */
  readonly serverAway: number
  /** Times in a virtual second, for each process or node. */
  readonly kill: number
  readonly freeze: number
  readonly nodeOutage: number
  readonly nodeLag: number
  readonly nodeLie: number
  /** The subjects of a node's wrong responses; not empty. */
  readonly lies: readonly (keyof Lie)[]
  /** Times in a virtual second, for the whole world. */
  readonly clockJump: number
  /** Share of the clock's jumps that are of up to a day. The others are of two minutes at most. */
  readonly farJump: number
  /** Times in a virtual second that the chain's clock moves. Above 0 it is from two minutes behind true time to one ahead, from the start. */
  readonly chainClock: number
  readonly reorganization: number
  readonly foreignNonce: number
  readonly gasSpike: number
  readonly sourceStale: number
  readonly keyRotation: number
  /** Times in a virtual second that the operator replaces the relayer's key and restarts every process. */
  readonly relayerKey: number
  readonly diskFull: number
  readonly evictions: number
  /** Times in a virtual second that every fault of nodes, databases and clocks ends for a while. */
  readonly lull: number
  /** Of the job rail: the hub is away for a while; it answers falsely; the escrow is paused; its wallet is used elsewhere. */
  readonly hubAway: number
  readonly hubLie: number
  readonly escrowPause: number
  readonly providerNonce: number
}

const LIES: readonly (keyof Lie)[] = [
  "authorizationState",
  "transactionCount",
  "usdcBalance",
  "etherBalance",
  "olderBlocks",
  "headSeconds",
  "sending",
  "job",
]

const NONE: FaultRates = {
  rpc: {
    slow: 0,
    lost: 0,
    unanswered: 0,
    error: 0,
    brokenBatch: 0,
    brokenAnswer: 0,
    refusedBroadcast: 0,
    forgottenBroadcast: 0,
  },
  robbery: 0,
  adversary: 0,
  oddWindow: 0,
  hub: { slow: 0, lost: 0, unanswered: 0, error: 0 },
  database: { busy: 0, full: 0, io: 0, kill: 0 },
  server: { conflict: 0, cut: 0 },
  serverAway: 0,
  kill: 0,
  freeze: 0,
  nodeOutage: 0,
  nodeLag: 0,
  nodeLie: 0,
  lies: LIES,
  clockJump: 0,
  farJump: 0.3,
  chainClock: 0,
  reorganization: 0,
  foreignNonce: 0,
  gasSpike: 0,
  sourceStale: 0,
  keyRotation: 0,
  relayerKey: 0,
  diskFull: 0,
  evictions: 0,
  lull: 0,
  hubAway: 0,
  hubLie: 0,
  escrowPause: 0,
  providerNonce: 0,
}

const LIGHT: FaultRates = {
  rpc: {
    slow: 0.01,
    lost: 0.002,
    unanswered: 0.002,
    error: 0.004,
    brokenBatch: 0.02,
    brokenAnswer: 0.002,
    refusedBroadcast: 0.03,
    forgottenBroadcast: 0.01,
  },
  robbery: 0.1,
  adversary: 0.3,
  oddWindow: 0.2,
  hub: { slow: 0.005, lost: 0.005, unanswered: 0.01, error: 0.01 },
  database: { busy: 0.001, full: 0.0001, io: 0.0002, kill: 0.00005 },
  server: { conflict: 0.001, cut: 0.0003 },
  serverAway: 1 / 300,
  kill: 1 / 300,
  freeze: 1 / 400,
  nodeOutage: 1 / 200,
  nodeLag: 1 / 100,
  nodeLie: 1 / 60,
  lies: LIES,
  clockJump: 1 / 900,
  farJump: 0.3,
  chainClock: 1 / 300,
  reorganization: 1 / 60,
  foreignNonce: 1 / 250,
  gasSpike: 1 / 300,
  sourceStale: 1 / 300,
  keyRotation: 1 / 300,
  relayerKey: 1 / 600,
  diskFull: 1 / 600,
  evictions: 1 / 60,
  lull: 1 / 90,
  hubAway: 1 / 600,
  hubLie: 1 / 200,
  escrowPause: 1 / 900,
  providerNonce: 1 / 400,
}

const HEAVY: FaultRates = {
  rpc: {
    slow: 0.02,
    lost: 0.004,
    unanswered: 0.004,
    error: 0.006,
    brokenBatch: 0.08,
    brokenAnswer: 0.005,
    refusedBroadcast: 0.08,
    forgottenBroadcast: 0.04,
  },
  robbery: 0.15,
  adversary: 1,
  oddWindow: 0.4,
  hub: { slow: 0.01, lost: 0.01, unanswered: 0.03, error: 0.03 },
  database: { busy: 0.004, full: 0.0005, io: 0.001, kill: 0.0004 },
  server: { conflict: 0.005, cut: 0.001 },
  serverAway: 1 / 90,
  kill: 1 / 60,
  freeze: 1 / 120,
  nodeOutage: 1 / 150,
  nodeLag: 1 / 50,
  nodeLie: 1 / 25,
  lies: LIES,
  clockJump: 1 / 250,
  farJump: 0.3,
  chainClock: 1 / 60,
  reorganization: 1 / 15,
  foreignNonce: 1 / 80,
  gasSpike: 1 / 150,
  sourceStale: 1 / 120,
  keyRotation: 1 / 120,
  relayerKey: 1 / 300,
  diskFull: 1 / 200,
  evictions: 1 / 20,
  lull: 1 / 90,
  hubAway: 1 / 300,
  hubLie: 1 / 60,
  escrowPause: 1 / 400,
  providerNonce: 1 / 120,
}

const CLOCKS: FaultRates = {
  ...NONE,
  robbery: 0.15,
  adversary: 1,
  oddWindow: 0.4,
  clockJump: 1 / 250,
  chainClock: 1 / 60,
  reorganization: 1 / 15,
}

export const FAULTS: Readonly<Record<FaultLevel, FaultRates>> = {
  none: NONE,
  light: LIGHT,
  heavy: HEAVY,
  clocks: CLOCKS,
}
