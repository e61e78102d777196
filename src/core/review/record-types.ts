/** The forms of records, for code that stores them. */
import type * as forms from "../../../schemas/review.ts"

export type ReviewRecord = forms.ReviewRecord
export type ReviewReason = forms.ReviewReason
export type ReviewState = forms.ReviewState
export type ReviewSubject = forms.ReviewSubject
export type PasskeyAssertion = forms.PasskeyAssertion
