/** A fault that a change might bring into the code, for tests of the simulator. */
export interface Edit {
  readonly from: string
  readonly to: string
}

export interface Mutant {
  readonly name: string
  readonly file: string
  readonly edits: readonly Edit[]
  readonly why: string
}

export const mutant = (
  name: string,
  file: string,
  why: string,
  ...edits: readonly (readonly [from: string, to: string])[]
): Mutant => ({
  name,
  file,
  why,
  edits: edits.map(([from, to]) => ({ from, to })),
})
