import { EXIT } from "../base/exit.ts"
import { realMachine } from "../base/machine.ts"
import { databaseNow } from "../data/own-instance.ts"
import type { Unit } from "../store/engine/unit.ts"
import { type Instance, isAlive, listInstances } from "../store/instances.ts"
import { type InstanceSnapshot, instanceSnapshots } from "../store/sources/instance-snapshots.ts"
import { type Command, DATA_FLAG, JSON_FLAG } from "./command.ts"
import { openData } from "./inputs.ts"
import { tableLines } from "./rows.ts"

export const command: Command = {
  name: "instances",
  summary: "list the processes that serve this database: host, process, release, whether each is alive, and its lists",
  operands: "",
  flags: { ...DATA_FLAG, ...JSON_FLAG },
  examples: ["instances --data ./data"],
  async run(input) {
    const { store, engine } = await openData(input)
    const { instances, snapshots } = await store.read(listed)
    const now = databaseNow({ engine, machine: realMachine })
    await store.close()
    const json = instances.map((one) => asJson(one, ofInstance(snapshots, one), now))
    input.result({ instances: json }, forPeople({ instances, snapshots }, now))
    return EXIT.DONE
  },
}

interface Listed {
  readonly instances: readonly Instance[]
  /** Of processes that share a database. */
  readonly snapshots: readonly InstanceSnapshot[]
}

function* listed(): Unit<Listed> {
  return { instances: yield* listInstances(), snapshots: yield* instanceSnapshots() }
}

function ofInstance(snapshots: readonly InstanceSnapshot[], { instanceId }: Instance): readonly InstanceSnapshot[] {
  return snapshots.filter((one) => one.instanceId === instanceId)
}

function asJson(one: Instance, snapshots: readonly InstanceSnapshot[], now: number) {
  return {
    instance_id: one.instanceId,
    host: one.host,
    pid: one.pid,
    release: one.release,
    since: one.startedAt,
    last_seen: one.seenAt,
    alive: isAlive(one, now),
    lists: snapshots.map(({ sourceId, snapshotId, since }) => ({ source: sourceId, snapshot: snapshotId, since })),
  }
}

function forPeople({ instances, snapshots }: Listed, now: number): string {
  if (instances.length === 0) return "no process serves this database\n"
  const processes = instances.map((one) => [
    one.instanceId,
    one.host,
    String(one.pid),
    one.release,
    one.startedAt,
    one.seenAt,
    isAlive(one, now) ? "yes" : "no",
  ])
  const lists = instances.flatMap((one) =>
    ofInstance(snapshots, one).map(({ sourceId, snapshotId, since }) => [one.instanceId, sourceId, snapshotId, since]),
  )
  const served = tableLines([["INSTANCE", "HOST", "PID", "RELEASE", "SINCE", "LAST SEEN", "ALIVE"], ...processes])
  const answered = tableLines([["INSTANCE", "LIST", "ANSWERS FROM", "SINCE"], ...lists])
  return `${[...served, ...(lists.length === 0 ? [] : ["", ...answered])].join("\n")}\n`
}
