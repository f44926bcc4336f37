// Starts `vc3 lsp` and lets the editor talk to it.

const { commands, window, workspace } = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");

let client;

function start() {
  const settings = workspace.getConfiguration("vc3");
  const server = { command: settings.get("path") || "vc3", args: ["lsp"] };
  const { root, include, defines, kernal, lint } = settings;
  client = new LanguageClient("vc3", "SD-8516 assembly", server, {
    documentSelector: [{ language: "sda" }],
    initializationOptions: { root, include, defines, kernal, lint },
    synchronize: { configurationSection: "vc3" },
  });
  return client.start().catch((error) => {
    window.showErrorMessage(`${server.command} lsp does not start: ${error.message}. The setting vc3.path names the command.`);
  });
}

async function stop() {
  const old = client;
  client = undefined;
  if (old) await old.stop().catch(() => {});
}

exports.activate = (context) => {
  const restart = async () => {
    await stop();
    await start();
  };
  context.subscriptions.push(commands.registerCommand("vc3.restart", restart));
  return start();
};

exports.deactivate = stop;
