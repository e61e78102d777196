import { expect, test } from "bun:test"
import { Deadline } from "../../../../src/store/engine/postgres/deadline.ts"
import { steppedMachine } from "../../../fixtures/stepped-machine.ts"

/** Questions to a server that has ten milliseconds for each answer, and when each of them ended. */
function asking() {
  const machine = steppedMachine(0)
  const deadline = new Deadline(machine, 10)
  const ends: string[] = []
  return {
    ends,
    pass: (ms: number) => machine.pass(ms, () => Bun.sleep(0)),
    ask: (name: string) => {
      const { promise, resolve, reject } = Promise.withResolvers<void>()
      const note = (how: string) => void ends.push(`${machine.monotonic()}: ${name} ${how}`)
      deadline.require(promise).then(
        () => note("answered"),
        ({ code, message }) => note(code ?? message),
      )
      return { answer: resolve, fail: reject }
    },
  }
}

test("an answer that does not come in time is overdue, and so are all that wait behind it", async () => {
  const { ask, pass, ends } = asking()
  ask("a")
  await pass(4)
  ask("b")
  await pass(20)
  expect(ends).toEqual(["10: a OVERDUE", "10: b OVERDUE"])
})

test("the time of a question begins with the answer before it", async () => {
  const { ask, pass, ends } = asking()
  const a = ask("a")
  const b = ask("b")
  ask("c")
  await pass(8)
  a.answer()
  await pass(8)
  b.fail(new Error("refused"))
  await pass(20)
  expect(ends).toEqual(["8: a answered", "16: b refused", "26: c OVERDUE"])
})

test("a pause with nothing owed does not count", async () => {
  const { ask, pass, ends } = asking()
  ask("a").answer()
  await pass(50)
  const b = ask("b")
  await pass(9)
  b.answer()
  await pass(50)
  expect(ends).toEqual(["0: a answered", "59: b answered"])
})
