/** Who the server takes this browser for, and the way to become somebody. A cookie does the rest. */

import { fieldsOf, problemBehind, textOf, type Server } from "@ask-sogis/client";

interface Me {
  /** `local`, `anonymous`, `key` or `user`; null for nobody. */
  kind: string | null;
  name: string | null;
  signIn: string | null;
  signOut: string | null;
}

export class Identity {
  #me = $state.raw<Me | null>(null);
  #isRefused = $state(false);
  /** Settled when the server has said who this is, or nothing: a visitor has its cookie from then on. */
  readonly known: Promise<void>;

  constructor(private readonly server: Server) {
    this.known = this.look();
  }

  /** Nobody, where one has to be somebody: nothing is answered before one has signed in. */
  get isNobody(): boolean {
    return this.#isRefused || this.#me?.kind === null;
  }

  get isUser(): boolean {
    return this.#me?.kind === "user" && !this.#isRefused;
  }

  get name(): string | null {
    return this.#me?.name ?? null;
  }

  /** Whether there are people with names, and so others to become. */
  get isPersonal(): boolean {
    return this.#me?.signIn != null;
  }

  get canSignIn(): boolean {
    return !this.isUser && this.isPersonal;
  }

  /** What tells one user of this browser from another; null when the server has said nothing. */
  get mark(): string | null {
    return this.#me && `${this.#me.kind} ${this.#me.name}`;
  }

  /** The server has refused a request: what it said before no longer holds. */
  refused(): void {
    this.#isRefused = true;
  }

  /** The way there, and back to the same page; null where there is none. */
  signInAddress(page: Pick<Location, "pathname" | "search">): string | null {
    const to = this.#me?.signIn;
    return to ? `${to}?next=${encodeURIComponent(page.pathname + page.search)}` : null;
  }

  /** Where to go then: to the provider's own end of the session, if it has one. Null when it has not worked. */
  async signOut(page: Pick<Location, "pathname">): Promise<string | null> {
    const by = this.#me?.signOut;
    if (!by) return null;
    try {
      const next = textOf(fieldsOf(await this.server.signOut(by)).location);
      return /^(https?:\/)?\//.test(next) ? next : page.pathname;
    } catch (error) {
      // Who is signed out already is answered as nobody.
      return problemBehind(error).status === 401 ? page.pathname : null;
    }
  }

  /** Asks the server, also again: a sign-in may have ended meanwhile, or begun in another tab. */
  async look(): Promise<void> {
    try {
      const { kind, name, signIn, signOut } = fieldsOf(await this.server.me());
      this.#me = {
        kind: textOf(kind) || null,
        name: textOf(name) || null,
        signIn: ownPath(signIn),
        signOut: ownPath(signOut),
      };
      this.#isRefused = false;
    } catch {
      // Without an answer the page works as far as it can.
    }
  }
}

/** Only of this server: `//` would lead to another one. */
function ownPath(value: unknown): string | null {
  const path = textOf(value);
  return /^\/(?![/\\])/.test(path) ? path : null;
}
