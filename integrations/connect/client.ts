// Recall what is remembered, and search it.
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";

const url = new URL("http://127.0.0.1:8765/mcp?workspace=main&agent=builder&profile=worker");
const headers = { Authorization: `Bearer ${process.env.MEMORYHUB_TOKEN}` };

const hub = new Client({ name: "builder", version: "1.0.0" });
await hub.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers } }));

const recalled = await hub.callTool({ name: "recall", arguments: {} });
console.log(recalled.content[0].text);
const found = await hub.callTool({ name: "memory_search", arguments: { query: "decided" } });
console.log(found.content[0].text);

await hub.close();
