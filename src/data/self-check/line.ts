/** One finding of `bizauth check`: what is so, why it matters, and how to mend it. */
type LineState = "OK" | "NOTE" | "PROBLEM" | "NOT_CHECKED"

export interface Line {
  readonly area:
    | "settings"
    | "directory"
    | "keys"
    | "lists"
    | "log"
    | "payments"
    | "network"
    | "machine"
    | "shares"
    | "backup"
  /** Names the line in its area, for scripts. */
  readonly name: string
  readonly state: LineState
  readonly what: string
  readonly why: string
  /** With the command, if there is one. Null for OK. */
  readonly mend: string | null
}

type Subject = Pick<Line, "area" | "name" | "why">

/** The subject is written once; each outcome adds what was found. */
export function about(area: Line["area"], name: string, why: string) {
  const subject: Subject = { area, name, why }
  return {
    ok: (what: string): Line => ({ ...subject, state: "OK", what, mend: null }),
    note: (what: string, mend: string): Line => ({ ...subject, state: "NOTE", what, mend }),
    problem: (what: string, mend: string): Line => ({ ...subject, state: "PROBLEM", what, mend }),
    notChecked: (what: string, mend: string): Line => ({ ...subject, state: "NOT_CHECKED", what, mend }),
  }
}
