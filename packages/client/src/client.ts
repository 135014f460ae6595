/** A conversation with the server: messages, choices and questions, each with the whole way to its answer. */

import type { ChatRequest, ChatResponse, Choice, Research, Source } from "./contract.js";
import type { TurnEvent } from "./events.js";
import { textOf } from "./fields.js";
import { isEnd, isForwarding, type Opening } from "./follow.js";
import { newId } from "./new-id.js";
import { errorOf, Refused } from "./problems.js";
import { Server, type Leaving } from "./server.js";

type Whole = Extract<ChatRequest, { sessionId: string }>;
type Wanted = string | Pick<Choice, "id">;

/** What goes along with a message or a choice. The key makes sending again safe; one is made up where there is none. */
export interface Asking extends Partial<Omit<Whole, "userMessage" | "choiceId">>, Leaving {
  idempotencyKey?: string;
}

/** A turn that is known, to be read from its beginning or from behind an event. */
export interface Known {
  requestId: string;
  after?: string;
}

export interface Documented {
  /** Markdown; sources are cited as `[n]`. */
  answer: string;
  sources: readonly Source[];
  /** Whether documents stand behind the answer; otherwise it says why none do. */
  isSupported: boolean;
  /** Which documents were looked at, and why they count or not. */
  research: Research | null;
  response: ChatResponse;
}

const POLL_MS = 1_000;

export class Client extends Server {
  /** The answer to a message, however long it takes. */
  chat(userMessage: string, asking: Asking = {}): Promise<ChatResponse> {
    return this.#answer(userMessage, asking);
  }

  /** The answer to one of the `choices` of a step. */
  choose(choice: string | Pick<Choice, "id">, asking: Asking = {}): Promise<ChatResponse> {
    return this.#answer({ id: typeof choice === "string" ? choice : choice.id }, asking);
  }

  /** An answer from documents only. */
  async documents(question: string, asking: Asking = {}): Promise<Documented> {
    const response = await this.chat(question, { ...asking, agent: "riskiagent" });
    const step = response.steps.find((each) => each.research) ?? response.steps[0];
    const research = step?.research ?? null;
    const sources = research?.sources ?? [];
    return { answer: step?.message ?? "", sources, isSupported: step?.status === "ok" && sources.length > 0, research, response };
  }

  /** What happens in a turn while it happens, with its answer as the end; a connection that is lost leaves no gap and no double. */
  async *stream(wanted: Wanted | Known, asking: Asking = {}): AsyncGenerator<TurnEvent, void, void> {
    const { signal = new AbortController().signal } = asking;
    const opening: Opening = typeof wanted === "object" && "requestId" in wanted ? wanted : this.#request(wanted, asking);
    let { requestId = "" } = opening;
    let isOver = false;
    let isFirst = true;
    for await (const news of this.follow(opening, signal, this.patienceMs)) {
      if (news.kind === "problem") throw errorOf(news.problem);
      if (news.kind === "accepted") ({ requestId } = news);
      if (news.kind === "event" && !isForwarding(news.data)) {
        requestId = textOf(news.data["requestId"]) || requestId;
        isOver = isEnd(news.event, news.data);
        const event = news as unknown as TurnEvent;
        yield isFirst && !news.id && event.event === "turn.finished" ? alone(event.data) : event;
        isFirst = false;
      }
    }
    signal.throwIfAborted();
    // The log is gone, or ends without the answer.
    if (isOver) return;
    const data = { requestId, response: await this.#end(requestId, signal) };
    yield isFirst ? alone(data) : { id: "", event: "turn.finished", data };
  }

  #request(wanted: Wanted, { idempotencyKey = newId(), signal: _, ...more }: Asking): { request: ChatRequest; idempotencyKey: string } {
    const what = typeof wanted === "string" ? { userMessage: wanted } : { choiceId: wanted.id };
    return { request: { sessionId: this.sessionId, ...what, ...more }, idempotencyKey };
  }

  async #answer(wanted: Wanted, asking: Asking): Promise<ChatResponse> {
    const { signal } = asking;
    const { request: body, idempotencyKey } = this.#request(wanted, asking);
    try {
      return await this.patiently(() => this.once<ChatResponse>("POST", "api/chat", { body, idempotencyKey, signal }), { signal });
    } catch (error) {
      // The turn goes on, and this is where its answer will be.
      if (error instanceof Refused && error.status === 504 && error.requestId !== null) return this.#end(error.requestId, signal);
      throw error;
    }
  }

  /** The answer of a turn, once it is there. `Location` leads to the same place, but not as it is called behind a proxy. */
  async #end(requestId: string, signal: AbortSignal | undefined): Promise<ChatResponse> {
    for (;;) {
      const turn = await this.turn(requestId, { signal });
      if (!("state" in turn)) return turn;
      if (turn.state !== "running") throw new Refused({ code: "no_answer", detail: "", requestId });
      await this.pause(POLL_MS, signal);
      signal?.throwIfAborted();
    }
  }
}

/** An answer that no event has come before, with its map actions: what was told of them earlier had no listener. */
function alone(data: Extract<TurnEvent, { event: "turn.finished" }>["data"]): TurnEvent {
  const apply = data.response.steps
    .map(({ mapActions = [] }, step) => ({ step, mapActions }))
    .filter(({ mapActions }) => mapActions.length > 0);
  return { id: "", event: "turn.finished", data: { ...data, apply } };
}
