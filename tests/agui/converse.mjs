// A conversation with an agent through the real client library, told as JSON.
//
// On standard input: {version, url, threadId, state?, runs: [{say?, choose?, giveUp?, runId?}]}. `choose` is the
// option to take of each open interrupt, in their order; `giveUp` cancels all of them.
// On standard output: what each run has come to.
import { readFileSync } from "node:fs";

const script = JSON.parse(readFileSync(0, "utf-8"));
const { HttpAgent, buildResumeArray } = await import(`client-${script.version}`);

const agent = new HttpAgent({
  url: script.url,
  threadId: script.threadId,
  ...(script.state && { initialState: script.state }),
});
let complaints = [];
console.warn = (...what) => complaints.push(what.map(String).join(" "));
console.error = console.warn;

function answers(run) {
  const open = agent.pendingInterrupts;
  const answered = (interrupt, n) =>
    run.giveUp
      ? { status: "cancelled" }
      : {
          status: "resolved",
          payload: { choiceId: interrupt.responseSchema.properties.choiceId.enum[run.choose[n]] },
        };
  return buildResumeArray(open, Object.fromEntries(open.map((each, n) => [each.id, answered(each, n)])));
}

const told = [];
for (const [n, run] of script.runs.entries()) {
  complaints = [];
  const events = [];
  const heard = {};
  const parameters = run.choose || run.giveUp ? { resume: answers(run) } : {};
  if (run.runId) parameters.runId = run.runId;
  if (run.say) agent.addMessage({ id: `u${n}`, role: "user", content: run.say });
  try {
    const ended = await agent.runAgent(parameters, {
      onEvent: ({ event }) => void events.push(event),
      onRunFinishedEvent: (finished) => {
        heard.finished = finished.outcome;
        heard.pendingToolCallIds = finished.pendingToolCallIds;
      },
      onRunErrorEvent: ({ event }) => void (heard.error = event.message),
    });
    heard.result = ended.result;
  } catch (error) {
    heard.rejected = String(error);
  }
  const { state, messages, pendingInterrupts: interrupts } = agent;
  told.push({ ...heard, events, complaints, ...structuredClone({ state, messages, interrupts }) });
}
process.stdout.write(JSON.stringify(told));
