// The hub as this plugin reaches it: by its commands, which find the running server.
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";

// What the host waits for, in milliseconds.
const HOOK_PATIENCE = 3_000;
const TOOL_PATIENCE = 30_000;
const MOST_BYTES = 8_000_000;

// `memoryhub install` writes hub.json; without it the command must be on the path.
const DEFAULTS = { hook: ["memoryhub", "hook", "EVENT"], tool: ["memoryhub", "tool"], options: [], env: {} };

function facts() {
  try {
    return JSON.parse(readFileSync(new URL("hub.json", import.meta.url), "utf8"));
  } catch (error) {
    if (error.code === "ENOENT") return DEFAULTS;
    throw error;
  }
}

function run([program, ...args], input, options) {
  return new Promise((resolve, reject) => {
    const child = execFile(program, args, { maxBuffer: MOST_BYTES, ...options }, (error, stdout, stderr) => {
      if (error) reject(new Error(stderr.trim() || error.message));
      else resolve({ stdout, stderr });
    });
    child.stdin.on("error", () => {}); // it may end before it has read everything
    child.stdin.end(JSON.stringify(input));
  });
}

// Tell the hub of an event and give back what the hook returns. It never throws: an
// agent goes on without its memory rather than not at all.
export async function tell(event, said, logger) {
  try {
    const command = facts().hook.map((part) => (part === "EVENT" ? event : part));
    const { stdout, stderr } = await run(command, said, { timeout: HOOK_PATIENCE });
    if (stderr) logger?.warn?.(stderr.trim());
    return stdout ? JSON.parse(stdout) : undefined;
  } catch (error) {
    logger?.warn?.(`memoryhub: ${error.message}`);
    return undefined;
  }
}

// Call a tool of the hub and give back its text.
export async function call(tool, request, { sessionKey, agentId }) {
  const { tool: command, options, env } = facts();
  const caller = [
    ...(sessionKey ? ["--session", sessionKey] : []),
    ...(agentId && !options.includes("--agent") ? ["--agent", agentId] : []),
  ];
  const { stdout } = await run([...command, tool, "--request", "-", ...options, ...caller], request, {
    timeout: TOOL_PATIENCE,
    env: { ...process.env, ...env },
  });
  return stdout.replace(/\n$/, "");
}
