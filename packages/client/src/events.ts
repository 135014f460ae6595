/** What a stream tells of a turn, by the name of the event. Names that are not here may come: they are to be passed over. */

import type { ChatResponse, Schemas, Step } from "./contract.js";

interface Said {
  readonly requestId: string;
  readonly round: number;
  readonly at?: string;
  /** Map actions that it is now the turn of, in the order of the plan. */
  readonly apply?: readonly { readonly step: number; readonly mapActions: Step["mapActions"] }[];
}

interface OfStep extends Said {
  readonly step: number;
}

interface Details<Detail> {
  readonly detail: Readonly<Detail>;
}

interface Data {
  "turn.started": Said & Details<{ message: string }>;
  "plan.ready": Said & Details<{ planner: string; steps: readonly { readonly intent: string }[] }>;
  "step.started": OfStep & Details<{ intent: string }>;
  "tool.called": OfStep & Details<{ capability: string; args: Readonly<Record<string, unknown>> }>;
  "tool.result": OfStep & Details<{ capability: string; status: string; items: number; durationMs: number }>;
  "documents.found": OfStep &
    Details<{ documents: readonly Schemas["TrackedDocument"][]; proposals: readonly Schemas["TrackedProposal"][] }>;
  "document.checked": OfStep & Details<{ id: string; isRelevant: boolean; reason: string; checked: number; total: number }>;
  "answer.delta": OfStep & { readonly text: string; readonly restart?: boolean };
  /** The step is without its map actions: those come in `apply`. */
  "step.finished": OfStep & { readonly answer: Step };
  "choice.pending": OfStep & { readonly answer: Step } & Details<{ expiresAt: string }>;
  "choice.made": Said & Details<{ choiceId: string; label: string }>;
  /** Only with its response where the answer is in no log. */
  "turn.finished": Partial<Said> & { readonly response: ChatResponse; readonly detail?: Readonly<Record<string, unknown>> };
}

export type TurnEvent = {
  [Name in keyof Data]: {
    /** Where the stream can be gone on behind it; empty where it cannot. */
    readonly id: string;
    readonly event: Name;
    readonly data: Data[Name];
  };
}[keyof Data];
