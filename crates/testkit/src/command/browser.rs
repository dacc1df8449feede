//! A browser without a screen, asked what it sees of a page.
//!
//! Chromium is led by its own protocol (one JSON message after another, parted
//! by zero bytes) through two named pipes, so that nothing has to listen on a
//! port. All that it loads and complains of is kept.

use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Stdio};

use serde_json::{Value, json};

use super::Workplace;

/// A page that is open.
#[derive(Debug)]
pub struct BrowserPage {
    browser: Child,
    to: File,
    from: BufReader<File>,
    session: String,
    number: u64,
    /// Addresses that were asked for.
    pub requests: Vec<String>,
    /// Messages of the console and exceptions.
    pub complaints: Vec<String>,
    _workplace: Workplace,
}

impl BrowserPage {
    /// Opens a file.
    pub fn open(file: &Path) -> BrowserPage {
        // The command is not run here: the browser only needs a folder and the environment.
        let place = Workplace::new("");
        place.tool("mkfifo", &["to", "from"]);
        let [to, from, profile] = ["to", "from", "profile"].map(|name| place.path(name));
        // The shell opens both pipes for reading and writing, which does not wait.
        let line = "exec chromium --headless --no-sandbox --disable-gpu --disable-background-networking \
                    --no-first-run --remote-debugging-pipe --user-data-dir=\"$2\" --window-size=1600,1000 \
                    about:blank 3<>\"$0\" 4<>\"$1\"";
        let browser = place
            .program("sh")
            .args(["-c", line])
            .args([&to, &from, &profile])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("chromium starts; without it: apt-get install chromium");
        let to = File::options().read(true).write(true).open(to).expect("a pipe");
        let from = File::options().read(true).write(true).open(from).expect("a pipe");
        let mut page = BrowserPage {
            browser,
            to,
            from: BufReader::new(from),
            session: String::new(),
            number: 0,
            requests: Vec::new(),
            complaints: Vec::new(),
            _workplace: place,
        };
        let target =
            page.send_request("Target.createTarget", json!({"url": "about:blank"}))["targetId"].clone();
        let attached =
            page.send_request("Target.attachToTarget", json!({"targetId": target, "flatten": true}));
        page.session = attached["sessionId"].as_str().expect("a session").to_owned();
        for domain in ["Network", "Log", "Runtime", "Page"] {
            page.send_request(&format!("{domain}.enable"), json!({}));
        }
        page.send_request("Page.navigate", json!({"url": format!("file://{}", file.display())}));
        while page.value("document.readyState") != "complete" {}
        page
    }

    /// What an expression is worth there.
    pub fn value(&mut self, expression: &str) -> Value {
        let answer =
            self.send_request("Runtime.evaluate", json!({"expression": expression, "returnByValue": true}));
        assert!(answer.get("exceptionDetails").is_none(), "{expression}: {answer:#}");
        answer["result"]["value"].clone()
    }

    /// What the promise of an expression comes to.
    pub fn outcome(&mut self, expression: &str) -> Value {
        let parameters = json!({"expression": expression, "returnByValue": true, "awaitPromise": true});
        let answer = self.send_request("Runtime.evaluate", parameters);
        assert!(answer.get("exceptionDetails").is_none(), "{expression}: {answer:#}");
        answer["result"]["value"].clone()
    }

    /// Runs a script in the page that is not the page's own, whatever its policy.
    pub fn inject(&mut self, script: &str) {
        let answer = self.send_request("Runtime.evaluate", json!({"expression": script}));
        assert!(answer.get("exceptionDetails").is_none(), "{answer:#}");
    }

    /// The window gets another width, in pixels of CSS.
    pub fn resize(&mut self, width: u32) {
        let size = json!({"width": width, "height": 1000, "deviceScaleFactor": 1, "mobile": false});
        self.send_request("Emulation.setDeviceMetricsOverride", size);
        // The page has been laid out anew, and its script has drawn, two frames later.
        self.outcome(
            "new Promise(next => requestAnimationFrame(() => requestAnimationFrame(() => next(0))))",
        );
    }

    /// A key goes down and up, as from a keyboard.
    pub fn press(&mut self, key: &str) {
        let (code, text) = match key {
            "Enter" => (13, "\r"),
            "Escape" => (27, ""),
            "Tab" => (9, ""),
            other => (i32::from(other.to_uppercase().as_bytes()[0]), other),
        };
        let with =
            |kind: &str| json!({"type": kind, "key": key, "windowsVirtualKeyCode": code, "text": text});
        self.send_request("Input.dispatchKeyEvent", with("keyDown"));
        let mut up = with("keyUp");
        up.as_object_mut().expect("an object").remove("text");
        self.send_request("Input.dispatchKeyEvent", up);
    }

    /// `light` or `dark`.
    pub fn prefer(&mut self, scheme: &str) {
        let feature = json!({"name": "prefers-color-scheme", "value": scheme});
        self.send_request("Emulation.setEmulatedMedia", json!({"features": [feature]}));
    }

    fn send_request(&mut self, method: &str, parameters: Value) -> Value {
        self.number += 1;
        let mut message = json!({"id": self.number, "method": method, "params": parameters});
        if !self.session.is_empty() {
            message["sessionId"] = json!(self.session);
        }
        self.to.write_all(format!("{message}\0").as_bytes()).expect("the browser listens");
        loop {
            let mut bytes = Vec::new();
            self.from.read_until(0, &mut bytes).expect("the browser answers");
            bytes.pop();
            let answer: Value = serde_json::from_slice(&bytes).expect("JSON");
            if answer["id"] == self.number {
                assert!(answer.get("error").is_none(), "{method}: {answer:#}");
                return answer["result"].clone();
            }
            self.note(&answer);
        }
    }

    fn note(&mut self, event: &Value) {
        let parameters = &event["params"];
        match event["method"].as_str() {
            Some("Network.requestWillBeSent") => {
                self.requests.push(parameters["request"]["url"].as_str().unwrap_or("?").to_owned());
            }
            Some("Log.entryAdded" | "Runtime.consoleAPICalled" | "Runtime.exceptionThrown") => {
                self.complaints.push(parameters.to_string());
            }
            _ => {}
        }
    }
}

impl Drop for BrowserPage {
    fn drop(&mut self) {
        let _ = self.browser.kill();
        let _ = self.browser.wait();
    }
}
