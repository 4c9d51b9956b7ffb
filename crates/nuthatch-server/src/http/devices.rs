//! `/dev/memory/*`: the devices of the library, under their own addresses.
//!
//! The answer is always the device's own JSON; the status tells the kind of failure.

use axum::Extension;
use axum::body::Bytes;
use axum::extract::Path;
use axum::extract::rejection::BytesRejection;
use axum::http::StatusCode;
use axum::response::{IntoResponse as _, Response};
use nuthatch::device::{self, DeviceAnswer, DeviceContext};
use nuthatch::error::{Error, Result};
use nuthatch::filter::Scopes;
use nuthatch::trust::Origin;
use serde_json::{Value, json};

use super::answer;
use super::caller::Caller;

/// Speaks to a device.
pub async fn speak(
    Extension(caller): Extension<Caller>,
    Path(name): Path<String>,
    body: std::result::Result<Bytes, BytesRejection>,
) -> Response {
    let body = match body {
        Ok(body) => body,
        Err(refused) => {
            let told = json!({"ok": false, "error": "the body is too large, or was cut off"});
            return answer::json(refused.into_response().status(), &told);
        }
    };
    let answer = match answered(&caller, &name, &body).await {
        Ok(answer) => answer,
        Err(error) => DeviceAnswer::from(Err(error)),
    };
    let failure = answer.failure.as_ref().map(|error| answer::status(error.kind()));
    answer::json(failure.unwrap_or(StatusCode::OK), &answer.body)
}

async fn answered(caller: &Caller, name: &str, body: &Bytes) -> Result<DeviceAnswer> {
    let body: Value = match body.as_ref() {
        [] => json!({}),
        text => serde_json::from_slice(text).map_err(|error| {
            let (line, column) = (error.line(), error.column());
            Error::invalid(format!("not JSON: line {line}, column {column}"))
        })?,
    };
    let place = caller.room.place().await?;
    let context = DeviceContext {
        project: place.project().clone(),
        visible: Scopes::These(place.visible()),
        origin: Origin::Agent,
    };
    let path = format!("/dev/memory/{name}");
    Ok(device::speak(place.engine(), &path, &body, &context).await)
}
