/** Server-sent events out of pieces of text that are cut anywhere. */

export interface ServerEvent {
  /** Where to go on after it; empty when it does not say. */
  id: string;
  event: string;
  data: string;
}

export class EventParser {
  #rest = "";
  #id = "";
  #event = "";
  #data: string[] = [];

  /** The events that are complete with this piece. */
  push(piece: string): ServerEvent[] {
    const events: ServerEvent[] = [];
    const lines = (this.#rest + piece).split(/\r\n|\n|\r(?!$)/);
    this.#rest = lines.pop() ?? "";
    for (const line of lines) {
      const event = this.#line(line);
      if (event) events.push(event);
    }
    return events;
  }

  #line(line: string): ServerEvent | null {
    if (line === "") return this.#dispatch();
    const [, field, value] = /^([^:]*):? ?(.*)$/s.exec(line) ?? [];
    if (field === "data") this.#data.push(value ?? "");
    else if (field === "event") this.#event = value ?? "";
    else if (field === "id" && !value?.includes("\0")) this.#id = value ?? "";
    return null;
  }

  #dispatch(): ServerEvent | null {
    const event = { id: this.#id, event: this.#event || "message", data: this.#data.join("\n") };
    const isEmpty = this.#data.length === 0;
    this.#event = "";
    this.#data = [];
    return isEmpty ? null : event;
  }
}
