import { INSTANCE_ALIVE_MS } from "../../db/instance-alive.ts"
import { EXIT } from "../base/exit.ts"
import { realMachine } from "../base/machine.ts"
import { instant } from "../core/time.ts"
import { databaseNow } from "../data/own-instance.ts"
import { type Instance, listInstances } from "../store/instances.ts"
import { type Command, DATA_FLAG, JSON_FLAG } from "./command.ts"
import { openData } from "./inputs.ts"

export const command: Command = {
  name: "instances",
  summary: "list the processes that serve this database: host, process, release, and whether each is alive",
  operands: "",
  flags: { ...DATA_FLAG, ...JSON_FLAG },
  examples: ["instances --data ./data"],
  async run(input) {
    const { store, engine } = await openData(input)
    const instances = await store.read(listInstances)
    const now = databaseNow({ engine, machine: realMachine })
    await store.close()
    input.result({ instances: instances.map((one) => asJson(one, now)) }, forPeople(instances, now))
    return EXIT.DONE
  },
}

/** A clean stop removes the row. So a row that is old is of a process that was killed, hangs, or does not reach the database. */
function isAlive({ seenAt }: Instance, now: number): boolean {
  return Math.abs(now - instant(seenAt)) <= INSTANCE_ALIVE_MS
}

function asJson(one: Instance, now: number) {
  return {
    instance_id: one.instanceId,
    host: one.host,
    pid: one.pid,
    release: one.release,
    since: one.startedAt,
    last_seen: one.seenAt,
    alive: isAlive(one, now),
  }
}

function forPeople(instances: readonly Instance[], now: number): string {
  if (instances.length === 0) return "no process serves this database\n"
  const rows = [
    ["INSTANCE", "HOST", "PID", "RELEASE", "SINCE", "LAST SEEN", "ALIVE"],
    ...instances.map((one) => [
      one.instanceId,
      one.host,
      String(one.pid),
      one.release,
      one.startedAt,
      one.seenAt,
      isAlive(one, now) ? "yes" : "no",
    ]),
  ]
  const widths = rows[0]?.map((_, at) => Math.max(...rows.map((row) => row[at]?.length ?? 0))) ?? []
  return rows
    .map(
      (row) =>
        `${row
          .map((text, at) => text.padEnd(widths[at] ?? 0))
          .join("  ")
          .trimEnd()}\n`,
    )
    .join("")
}
