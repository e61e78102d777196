import { expect } from "bun:test"
import { Value } from "@sinclair/typebox/value"
import { Problem } from "../../../schemas/problem.ts"

/** The refusal of a token route: a whole problem document that no cache keeps. */
export async function expectRefusal(answer: Response, status: number, code: string): Promise<Problem> {
  const text = await answer.text()
  const problem = JSON.parse(text) as Problem
  expect([answer.status, problem.code]).toEqual([status, code])
  expect(answer.headers.get("cache-control")).toBe("private, no-store")
  expect([...Value.Errors(Problem, problem)]).toEqual([])
  expect(text).not.toMatch(/svc_at_|0x[0-9a-f]{8}|sha256:/)
  return problem
}
