/** The place of the mail socket is taken: the log says it once, and the service takes the place when it is free. */
import { expect, test } from "bun:test"
import net from "node:net"
import { freshDirectory } from "../../fixtures/directories.ts"
import { clockAt } from "../../fixtures/service.ts"
import { serviceOfRun } from "../../fixtures/service-of-run.ts"
import { until } from "../../fixtures/until.ts"
import { mailSettingsOf } from "./mail-settings.ts"
import { sendIn } from "./send-in.ts"
import { smtpSink } from "./smtp-sink.ts"

test("another process listens at the place of the mail socket", async () => {
  using fresh = freshDirectory()
  await using sink = await smtpSink()
  const settings = mailSettingsOf(fresh.path, sink.port)
  const path = settings.mail_in_socket
  let tried = 0
  const clock = clockAt(Date.UTC(2026, 10, 23))
  const quick = {
    ...clock,
    after: (_ms: number, work: () => void) =>
      clock.after(10, () => {
        tried++
        work()
      }),
  }
  await using running = await serviceOfRun(quick, { rate_limits: "off", ...settings })
  const other = net.createServer()
  await new Promise<void>((resolve) => other.listen(path, resolve))
  const worker = running.service.workers.find(({ name }) => name === "mail socket")
  worker?.start()
  const faults = () => running.logged.filter(({ event }) => event === "mail_socket_failed")
  await until("it is tried again", () => tried > 3)
  expect(faults()).toEqual([
    expect.objectContaining({ fault: expect.stringContaining("mail_in_socket: another process listens there") }),
  ])
  await new Promise((resolve) => other.close(resolve))
  await until("it takes mail", async () => (await sendIn(path, "x", { to: "nobody@host.example" })) === 550)
  await worker?.stop()
})
