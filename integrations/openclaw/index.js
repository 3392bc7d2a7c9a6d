// MemoryHub for OpenClaw: snap-memory's tool and its four hooks, done by the hub.
import { call, tell } from "./hub.js";

// The host's tools that change one file, named by a parameter.
const EDITING = new Set(["edit", "write"]);

// snap-memory's own place among the hooks that build a prompt.
const PRIORITY = 5;

const PARAMETERS = {
  type: "object",
  additionalProperties: false,
  required: ["action"],
  properties: {
    action: { type: "string", enum: ["checkpoint", "list", "read"] },
    topic: { type: "string", description: "The topic; required for checkpoint and read" },
    status: { type: "string", description: "Where the topic stands now; replaces the status before" },
    decisions: {
      type: "array",
      items: { type: "string" },
      description: "New decisions, each YYYY-MM-DD: decision (reason)",
    },
    historyLine: { type: "string", description: "What was done, YYYY-MM-DD: text" },
    sessionId: { type: "string", description: "The session to bind, if not this one" },
  },
};

function contextSnap(context) {
  return {
    name: "context_snap",
    description:
      "Save or read where a topic stands, so that it survives compaction and reset. Use checkpoint at key decisions, " +
      "at milestones, and when somebody says checkpoint, save context or 存一下.",
    parameters: PARAMETERS,
    async execute(_id, request) {
      const text = await call("context_snap", request, context ?? {});
      return { content: [{ type: "text", text }], details: { text } };
    },
  };
}

export default {
  id: "memoryhub",
  name: "MemoryHub",
  description: "Topics that survive compaction and reset, kept as markdown by MemoryHub",
  register(api) {
    api.registerTool(contextSnap, { names: ["context_snap"] });
    const hear = (name, options) => api.on(name, (event, ctx) => tell(name, said(event, ctx), api.logger), options);
    hear("before_prompt_build", { priority: PRIORITY });
    hear("before_compaction");
    hear("after_compaction");
    hear("before_reset");
    // Before a file is changed: the hub refuses what another agent holds.
    api.on("before_tool_call", (event, ctx) =>
      EDITING.has(event?.toolName) ? tell("before_tool_call", edit(event, ctx), api.logger) : undefined,
    );
  },
};

// The file of an edit, without its text.
function edit(event, ctx) {
  const { file_path, path, filePath } = event.params ?? {};
  return { ...said(event, ctx), event: { toolName: event.toolName, params: { file_path, path, filePath } } };
}

// What the hub needs of an event. The messages themselves stay here.
function said(event, ctx) {
  const { messageCount, compactedCount, reason } = event ?? {};
  const { sessionKey, agentId, trigger, workspaceDir } = ctx ?? {};
  return { event: { messageCount, compactedCount, reason }, ctx: { sessionKey, agentId, trigger, workspaceDir } };
}
