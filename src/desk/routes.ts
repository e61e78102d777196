/** Every path of the desk, who may ask for it, and the file that answers. */
import { answerProposal } from "./acts/answer-proposal.ts"
import { assignCase, noteOnCase } from "./acts/case-notes.ts"
import { enrolKey, showEnrol } from "./acts/enrol.ts"
import { enter, leave, showEntrance } from "./acts/enter.ts"
import { closeCase, judgeHit } from "./acts/judge.ts"
import { prove, showProve } from "./acts/prove.ts"
import { changePolicy, revokeKey, showReviewers } from "./acts/reviewers.ts"
import { showCase } from "./acts/show-case.ts"
import { showQueue } from "./acts/show-queue.ts"
import { showRecord } from "./acts/show-record.ts"
import { showSign, sign } from "./acts/sign.ts"
import type { DeskReply, OwnVisit, Visit } from "./visit.ts"

type Method = "GET" | "POST"

interface Common {
  readonly method: Method
  /** `:number` is a number from 1, `:secret` 43 characters of base64url. */
  readonly path: string
  /** Whether a form with a file may come. */
  readonly takesFile?: true
}

/**
 * NOBODY: without a session. SESSION: with one, whatever its passkey. PASSKEY: with one that an active passkey opened.
 */
export type DeskRoute = Common &
  (
    | { readonly needs: "NOBODY"; readonly reply: (visit: Visit) => Promise<DeskReply> }
    | { readonly needs: "SESSION" | "PASSKEY"; readonly reply: (visit: OwnVisit) => Promise<DeskReply> }
  )

export const DESK_ROUTES: readonly DeskRoute[] = [
  { method: "GET", path: "/enter/:secret", needs: "NOBODY", reply: showEntrance },
  { method: "POST", path: "/enter", needs: "NOBODY", reply: enter },
  { method: "POST", path: "/leave", needs: "SESSION", reply: leave },
  { method: "GET", path: "/enrol", needs: "SESSION", reply: showEnrol },
  { method: "POST", path: "/enrol", needs: "SESSION", reply: enrolKey },
  { method: "GET", path: "/prove", needs: "SESSION", reply: showProve },
  { method: "POST", path: "/prove", needs: "SESSION", reply: prove },
  { method: "GET", path: "/sign/:secret", needs: "SESSION", reply: showSign },
  { method: "POST", path: "/sign", needs: "SESSION", reply: sign },
  { method: "GET", path: "/", needs: "PASSKEY", reply: showQueue },
  { method: "GET", path: "/cases/:number", needs: "PASSKEY", reply: showCase },
  { method: "POST", path: "/cases/:number/judge", needs: "PASSKEY", reply: judgeHit },
  { method: "POST", path: "/cases/:number/close", needs: "PASSKEY", reply: closeCase },
  { method: "POST", path: "/cases/:number/note", needs: "PASSKEY", takesFile: true, reply: noteOnCase },
  { method: "POST", path: "/cases/:number/assign", needs: "PASSKEY", reply: assignCase },
  { method: "GET", path: "/records/:number", needs: "PASSKEY", reply: showRecord },
  { method: "POST", path: "/records/:number/answer", needs: "PASSKEY", reply: answerProposal },
  { method: "GET", path: "/reviewers", needs: "PASSKEY", reply: showReviewers },
  { method: "POST", path: "/reviewers/revoke", needs: "PASSKEY", reply: revokeKey },
  { method: "POST", path: "/reviewers/policy", needs: "PASSKEY", reply: changePolicy },
]

const VARIABLES: Readonly<Record<string, RegExp>> = {
  ":number": /^[1-9]\d{0,14}$/,
  ":secret": /^[A-Za-z0-9_-]{43}$/,
}

interface FoundRoute {
  readonly route: DeskRoute
  readonly params: readonly string[]
}

/** NO_PATH: no page has this address. Otherwise the methods that the path takes. */
export function findRoute(method: string, pathname: string): FoundRoute | "NO_PATH" | readonly Method[] {
  const found = DESK_ROUTES.flatMap((route) => {
    const params = paramsIn(route.path, pathname)
    return params === null ? [] : [{ route, params }]
  })
  if (found.length === 0) return "NO_PATH"
  return found.find(({ route }) => route.method === method) ?? found.map(({ route }) => route.method)
}

function paramsIn(path: string, pathname: string): readonly string[] | null {
  const [names, given] = [path.split("/"), pathname.split("/")]
  if (names.length !== given.length) return null
  const params: string[] = []
  for (const [at, name] of names.entries()) {
    const text = given[at] ?? ""
    const variable = VARIABLES[name]
    if (variable === undefined ? text !== name : !variable.test(text)) return null
    if (variable !== undefined) params.push(text)
  }
  return params
}
