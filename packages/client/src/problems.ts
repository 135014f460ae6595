/** Why something was not answered: problem details (RFC 9457), and what is thrown for them. */

import { fieldsOf, parsed, textOf } from "./fields.js";

export interface Problem {
  /** Stable, made for programs. */
  code: string;
  /** A sentence for the user, in the language that was asked for. */
  detail: string;
  /** Of the turn that it is about. */
  requestId?: string;
  /** Of HTTP. */
  status?: number;
  /** Seconds until it is worth another try, where the server says so. */
  retryAfter?: number;
}

export const UNREACHABLE: Problem = { code: "unreachable", detail: "" };
const PROBLEMS_OF_A_STOP = new Set(["shutting_down", "bus_unavailable", "state_unavailable"]);

/** The server does not answer the request, and says why. */
export class Refused extends Error {
  override readonly name = "Refused";

  constructor(readonly problem: Problem) {
    super(problem.detail || problem.code);
  }

  get code(): string {
    return this.problem.code;
  }

  get detail(): string {
    return this.problem.detail;
  }

  get status(): number | null {
    return this.problem.status ?? null;
  }

  /** Seconds. */
  get retryAfter(): number | null {
    return this.problem.retryAfter ?? null;
  }

  get requestId(): string | null {
    return this.problem.requestId ?? null;
  }
}

/** Nobody answers, or somebody else than the server; `cause` says more, where more is known. */
export class Unreachable extends Error {
  override readonly name = "Unreachable";

  constructor(
    cause?: unknown,
    readonly problem: Problem = UNREACHABLE,
  ) {
    super("The server cannot be reached.", { cause });
  }
}

/** What is known of a failure, whatever was thrown. */
export function problemBehind(error: unknown): Problem {
  return error instanceof Refused || error instanceof Unreachable ? error.problem : UNREACHABLE;
}

export function errorOf(problem: Problem): Refused | Unreachable {
  return problem.code === UNREACHABLE.code ? new Unreachable(undefined, problem) : new Refused(problem);
}

/** Of an answer that is none. Who answers in the place of the server knows nothing of its problems. */
export async function problemOf(response: Response): Promise<Problem> {
  const said = readProblem(parsed(await response.text().catch(() => "")));
  const problem = !said.detail && response.status >= 500 ? UNREACHABLE : said;
  const retryAfter = Number(response.headers.get("Retry-After") ?? NaN);
  return { ...problem, status: response.status, ...(retryAfter > 0 ? { retryAfter } : {}) };
}

export function readProblem(value: unknown): Problem {
  const { code, detail, requestId, status } = fieldsOf<Problem>(value);
  return {
    code: textOf(code) || "internal_error",
    detail: textOf(detail),
    ...(textOf(requestId) ? { requestId: textOf(requestId) } : {}),
    ...(typeof status === "number" ? { status } : {}),
  };
}

/** Whether the server has only stopped, or lost its stores for a while. */
export function isOfAStop({ code }: Problem): boolean {
  return PROBLEMS_OF_A_STOP.has(code);
}

/** Whether a turn may go on in spite of a problem: then it can be read on. */
export function goesOn(problem: Problem): boolean {
  return problem.code === UNREACHABLE.code || problem.code === "turn_timeout" || isOfAStop(problem);
}

/** Whether the server answers only once the user has signed in (again). */
export function needsSignIn(problem: Problem | null | undefined): boolean {
  return problem?.code === "unauthenticated" || problem?.code === "invalid_token";
}
